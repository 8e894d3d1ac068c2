import { maxAnswerTokens } from '../../model/workload/traffic.ts';
import { bodyOf } from '../compile/compile-traffic.ts';
import { formatDuration } from '../schema/notation.ts';
import { compilePace } from '../schema/pace-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import { chatContentFields } from '../schema/traffic-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import {
  placedEntries,
  type PlacedStage,
  placedStages,
  type ScenarioEntry,
} from './placed-stages.ts';

/** Whether only traces send an entry: a trace bounds the answers to prompts that it makes. */
const isReplayed = (entry: ScenarioEntry, stages: readonly PlacedStage[]): boolean => {
  const path = entry.path.join('.');
  return stages
    .filter(({ entries }) => entries.some((each) => each.path.join('.') === path))
    .every(({ load }) => load.at('kind').text === 'trace');
};

/** Chat entries whose answers have no bound: nobody knows how many tokens to reserve for them. */
const unboundedAnswerFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const commonBody = scenario.at('body').sound ?? {};
  const stages = placedStages(scenario);
  return placedEntries(scenario).flatMap((part) => {
    const entry = part.sound;
    if (entry?.kind !== 'chat' && entry?.kind !== 'chat-stream') return [];
    const maxTokens = entry.maxTokens === undefined ? null : 1;
    if (maxAnswerTokens({ maxTokens, body: bodyOf(entry, commonBody) }) !== null) return [];
    const hasContent = chatContentFields.some((field) => entry[field] !== undefined);
    if (!hasContent && isReplayed(part, stages)) return [];
    return [
      part
        .at('maxTokens')
        .keyFinding(
          '"maxTokens" is missing: a pace for tokens has to reserve the most that an answer may use',
          'add maxTokens, or write pace: {tokens: none}',
        ),
    ];
  });
};

/** What is wrong between a scenario's pace and the rest of it. */
export const paceRuleFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const part = scenario.at('pace');
  const [pace, limits] = [part.sound, scenario.at('limits').sound];
  if (pace === undefined || limits === undefined) return [];
  const compiled = compilePace(pace, limits);
  const { requests, tokens } = compiled;
  if (requests === null && tokens === null) {
    return [
      part.keyFinding('the pace has no limit to keep', 'give it a rate, or declare the limits'),
    ];
  }
  const stalledFindings = (['requests', 'tokens'] as const)
    .filter((name) => compiled[name] === 0)
    .map((name) =>
      part
        .at(name)
        .keyFinding(
          `at this rate a window of ${formatDuration(pace.window)} has no room for even one of the ${name}`,
          'raise the rate or lengthen "window"',
        ),
    );
  return [...stalledFindings, ...(tokens === null ? [] : unboundedAnswerFindings(scenario))];
};
