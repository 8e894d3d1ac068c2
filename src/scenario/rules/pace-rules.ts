import { maxAnswerTokens } from '../../model/workload/traffic.ts';
import { paceAmounts } from '../../model/plan/pace.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { limitsOfKeys } from '../compile/key-limits.ts';
import { bodyOf } from '../compile/compile-traffic.ts';
import { formatDuration } from '../schema/notation.ts';
import { pathKey } from '../text/scenario-tree.ts';
import { compilePace, readLearnedCharging } from '../schema/pace-schema.ts';
import { chatContentFields } from '../schema/traffic-schema.ts';
import { type Findings, placedEntries, placedStages, type WholeScenario } from './placed-stages.ts';

/**
 * Finds chat entries whose answers have no maximum length. A pace for tokens must reserve this maximum for each answer.
 */
function* unboundedAnswerFindings(scenario: WholeScenario): Findings {
  const message =
    '"maxTokens" is missing: a pace for tokens has to reserve the most that an answer may use';
  const hint = 'add maxTokens, or write pace: {tokens: none}';
  const commonBody = scenario.at('body').validValue ?? {};
  // In a stage with a trace, the trace limits the length of the answers to generated prompts.
  const others = placedStages(scenario).filter(({ load }) => load.at('kind').text !== 'trace');
  const sentWithoutTrace = new Set(
    others.flatMap(({ entries }) => entries.map(({ path }) => pathKey(path))),
  );
  for (const part of placedEntries(scenario)) {
    const entry = part.validValue;
    if (entry?.kind !== 'chat' && entry?.kind !== 'chat-stream') continue;
    const maxTokens = entry.maxTokens === null ? null : 1;
    const isBounded = maxAnswerTokens({ maxTokens, body: bodyOf(entry, commonBody) }) !== null;
    const hasContent = chatContentFields.some((field) => entry[field] !== undefined);
    const isSent = hasContent || sentWithoutTrace.has(pathKey(part.path));
    if (!isBounded && isSent) yield part.at('maxTokens').keyFinding(message, hint);
  }
}

export function* paceRule(scenario: WholeScenario, files: WorkloadFiles): Findings {
  const part = scenario.at('pace');
  const [pace, limits] = [part.validValue, scenario.at('limits').validValue];
  const keys = scenario.at('keys');
  if (pace === undefined || limits === undefined) return;
  if (keys.isPresent && keys.validValue === undefined) return;
  const learned = readLearnedCharging(pace, files);
  if (!learned.ok) {
    yield part.at('charged').valueFinding(learned.problem);
    return;
  }
  const ofKeys = limitsOfKeys({ limits, keys: keys.validValue });
  const compiled = compilePace(pace, ofKeys, learned.value);
  const amounts = paceAmounts(compiled, 1);
  if (amounts.every(({ requests, tokens }) => requests === null && tokens === null)) {
    const hint = 'give it a rate, or declare the limits';
    yield part.keyFinding('the pace has no limit to keep', hint);
  }
  for (const name of ['requests', 'tokens'] as const) {
    if (amounts.every((amount) => amount[name] !== 0)) continue;
    const message = `at this rate a window of ${formatDuration(pace.window)} has no room for even one of the ${name}`;
    yield part.at(name).keyFinding(message, 'raise the rate or lengthen "window"');
  }
  if (pace.burst !== undefined && amounts.every(({ requests }) => requests === null)) {
    const message = '"burst" spreads requests at their rate, and "requests" has none';
    yield part.at('burst').keyFinding(message, 'give "requests" a rate, or leave out "burst"');
  }
  if (amounts.some(({ tokens }) => tokens !== null)) yield* unboundedAnswerFindings(scenario);
}
