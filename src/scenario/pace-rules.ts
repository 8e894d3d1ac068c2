import { mostOutput } from '../model/traffic.ts';
import { compileTraffic } from './compile-traffic.ts';
import { formatDuration } from './notation.ts';
import { compilePace, paceSchema } from './pace-schema.ts';
import type { Finding } from './problem.ts';
import { scenarioSchema } from './schema.ts';
import { trafficEntrySchema } from './traffic-schema.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/** What a pace demands of the rest of a scenario. */

const entriesIn = (scenario: unknown): readonly { entry: unknown; path: Path }[] => {
  const stages = valueAt(scenario, ['stages']);
  const holders: readonly Path[] = [
    ['traffic'],
    ...(Array.isArray(stages) ? stages.map((_, index): Path => ['stages', index, 'traffic']) : []),
  ];
  return holders.flatMap((path) => {
    const list = valueAt(scenario, path);
    return Array.isArray(list)
      ? list.map((entry: unknown, index) => ({ entry, path: [...path, index] }))
      : [];
  });
};

/** Chat entries whose answers nothing bounds: nobody knows how many tokens to set aside for them. */
const unbounded = (scenario: unknown): Finding[] => {
  const body = scenarioSchema.shape.body.safeParse(valueAt(scenario, ['body'])).data ?? {};
  return entriesIn(scenario).flatMap(({ entry, path }): Finding[] => {
    const sound = trafficEntrySchema.safeParse(entry).data;
    const traffic = sound === undefined ? null : compileTraffic(sound, { body, prices: {} });
    const isChat = traffic?.kind === 'chat' || traffic?.kind === 'chat-stream';
    if (!isChat || mostOutput(traffic) !== null) return [];
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
export const brokenPace = (scenario: unknown): readonly Finding[] => {
  if (!isMapping(scenario) || scenario['pace'] === undefined) return [];
  const pace = paceSchema.safeParse(scenario['pace']).data;
  const limits = scenarioSchema.shape.limits.safeParse(scenario['limits']).data;
  if (pace === undefined || limits === undefined) return [];
  const compiled = compilePace(pace, limits);
  const { requests, tokens } = compiled;
  const finding = (path: Path, message: string, hint: string): Finding => ({
    path,
    part: 'key',
    message,
    hint,
  });
  if (requests === null && tokens === null) {
    const hint = 'give it a rate, or declare the limits';
    return [finding(['pace'], 'the pace has no limit to keep to', hint)];
  }
  const still = (['requests', 'tokens'] as const).flatMap((name) =>
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
  return [...still, ...(tokens === null ? [] : unbounded(scenario))];
};
