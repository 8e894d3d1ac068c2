import { chatContentFields } from '../schema/chat-fields.ts';
import { maxAnswerTokens } from '../../model/workload/traffic.ts';
import { bodyOf } from '../compile/compile-traffic.ts';
import { formatDuration } from '../schema/notation.ts';
import { compilePace, scenarioPaceSchema } from '../schema/pace-schema.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { scenarioSchema } from '../schema/scenario-schema.ts';
import { trafficEntrySchema } from '../schema/traffic-schema.ts';
import { isMapping, type Path, valueAtPath } from '../text/scenario-tree.ts';

/** What a pace demands of the rest of a scenario. */

const trafficEntriesIn = (scenario: unknown): readonly { entry: unknown; path: Path }[] => {
  const stages = valueAtPath(scenario, ['stages']);
  const holders: readonly Path[] = [
    ['traffic'],
    ...(Array.isArray(stages) ? stages.map((_, index): Path => ['stages', index, 'traffic']) : []),
  ];
  return holders.flatMap((path) => {
    const list = valueAtPath(scenario, path);
    return Array.isArray(list)
      ? list.map((entry: unknown, index) => ({ entry, path: [...path, index] }))
      : [];
  });
};

/** Whether all loads that an entry is asked under are traces: these bound the answers to prompts of theirs. */
const isReplayed = (scenario: unknown, [holder, index]: Path): boolean => {
  const stages = valueAtPath(scenario, ['stages']);
  const hasOwnTraffic = (stage: unknown): boolean => valueAtPath(stage, ['traffic']) !== undefined;
  const stagesUsingEntry =
    holder === 'stages'
      ? [valueAtPath(stages, [index ?? 0])]
      : Array.isArray(stages)
        ? stages.filter((stage) => !hasOwnTraffic(stage))
        : [scenario];
  return stagesUsingEntry.every(
    (stageUsingEntry) => valueAtPath(stageUsingEntry, ['load', 'kind']) === 'trace',
  );
};

/** Chat entries whose answers nothing bounds: nobody knows how many tokens to set aside for them. */
const unboundedAnswerFindings = (scenario: unknown): ScenarioFinding[] => {
  const common = scenarioSchema.shape.body.safeParse(valueAtPath(scenario, ['body'])).data ?? {};
  return trafficEntriesIn(scenario).flatMap(({ entry, path }): ScenarioFinding[] => {
    const validEntry = trafficEntrySchema.safeParse(entry).data;
    if (validEntry?.kind !== 'chat' && validEntry?.kind !== 'chat-stream') return [];
    const maxTokens = validEntry.maxTokens === undefined ? null : 1;
    if (maxAnswerTokens({ maxTokens, body: bodyOf(validEntry, common) }) !== null) return [];
    const hasContent = chatContentFields.some((field) => validEntry[field] !== undefined);
    if (!hasContent && isReplayed(scenario, path)) return [];
    return [
      {
        path: [...path, 'maxTokens'],
        part: 'key',
        message:
          '"maxTokens" is missing: a pace for tokens has to set aside the most that an answer may use',
        hint: 'add maxTokens, or write pace: {tokens: none}',
      },
    ];
  });
};

/** Everything about a scenario's pace that does not go together. */
export const paceRuleFindings = (scenario: unknown): readonly ScenarioFinding[] => {
  if (!isMapping(scenario) || scenario['pace'] === undefined) return [];
  const pace = scenarioPaceSchema.safeParse(scenario['pace']).data;
  const limits = scenarioSchema.shape.limits.safeParse(scenario['limits']).data;
  if (pace === undefined || limits === undefined) return [];
  const compiled = compilePace(pace, limits);
  const { requests, tokens } = compiled;
  const finding = (path: Path, message: string, hint: string): ScenarioFinding => ({
    path,
    part: 'key',
    message,
    hint,
  });
  if (requests === null && tokens === null) {
    const hint = 'give it a rate, or declare the limits';
    return [finding(['pace'], 'the pace has no limit to keep to', hint)];
  }
  const stalledFindings = (['requests', 'tokens'] as const).flatMap((name) =>
    compiled[name] === 0
      ? [
          finding(
            ['pace', name],
            `not one of the ${name} fits into a window of ${formatDuration(pace.window)}`,
            'raise the rate or lengthen "window"',
          ),
        ]
      : [],
  );
  return [...stalledFindings, ...(tokens === null ? [] : unboundedAnswerFindings(scenario))];
};
