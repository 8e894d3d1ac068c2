import { durationNotation } from '../schema/notation.ts';
import { isMapping } from './scenario-tree.ts';

/** The kinds of load whose duration may be any length. Loads of these kinds end only because their duration is over. */
export const endlessKinds: readonly unknown[] = [
  'constant',
  'poisson',
  'gamma',
  'closed',
  'saturate',
];

const withDuration = (load: unknown, atMost: string): unknown =>
  isMapping(load) && endlessKinds.includes(load['kind']) ? { ...load, duration: atMost } : load;

/**
 * Gives the last load the duration `atMost` if the scenario has `until`. If `atMost` is faulty, the load gets the
 * duration `1m`, and other code reports the fault.
 */
export const withDurationFrom = (scenario: unknown): unknown => {
  if (!isMapping(scenario) || scenario['until'] === undefined) return scenario;
  const { atMost, load, stages } = scenario;
  if (atMost === undefined) return scenario;
  const duration =
    typeof atMost === 'string' && (durationNotation.read(atMost) ?? 0) > 0 ? atMost : '1m';
  if (load !== undefined) return { ...scenario, load: withDuration(load, duration) };
  if (!Array.isArray(stages)) return scenario;
  const last: unknown = stages.at(-1);
  if (!isMapping(last)) return scenario;
  const changed = { ...last, load: withDuration(last['load'], duration) };
  return { ...scenario, stages: [...(stages as unknown[]).slice(0, -1), changed] };
};
