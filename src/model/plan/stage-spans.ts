import { loadDuration, type Plan } from './plan.ts';

/** Returns the start and end of each stage, in ms. Stages of different populations overlap in time. */
export const stageSpans = (
  plan: Plan,
): readonly { readonly name: string; readonly from: number; readonly to: number }[] => {
  const ends = new Map<string, number>(plan.populations?.map(({ name, after }) => [name, after]));
  let end = 0;
  return plan.stages.map(({ name, load, population }) => {
    const from = population === undefined ? end : ends.get(population)!;
    const to = from + loadDuration(load);
    if (population === undefined) end = to;
    else ends.set(population, to);
    return { name, from, to };
  });
};

/**
 * Returns whether every stage that ends last has a fixed number of requests. In such a plan, the answers can end the
 * run earlier than planned.
 */
export const endsWithAnswers = (plan: Plan): boolean => {
  const spans = stageSpans(plan);
  const end = Math.max(...spans.map(({ to }) => to));
  return spans.every(({ to }, place) => to < end || plan.stages[place]!.load.kind === 'iterations');
};

/**
 * Returns the whole seconds after the warm-up and before `until` (ms). If `stages` is not `null`, returns only the
 * seconds of the named stages.
 */
export const ratedSeconds = (
  plan: Plan,
  until: number,
  stages: readonly string[] | null,
): readonly number[] => {
  const first = Math.ceil(plan.warmUp / 1000);
  const length = Math.max(0, Math.floor(until / 1000) - first);
  const seconds = Array.from({ length }, (_, i) => first + i);
  if (stages === null) return seconds;
  const spans = stageSpans(plan).filter(({ name }) => stages.includes(name));
  return seconds.filter((second) =>
    spans.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to),
  );
};
