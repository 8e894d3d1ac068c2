import { loadDuration, type Plan } from './plan.ts';

/** Returns the start and end of each stage, in ms. */
export const stageSpans = (
  plan: Plan,
): readonly { readonly name: string; readonly from: number; readonly to: number }[] => {
  let start = 0;
  return plan.stages.map(({ name, load }) => {
    const from = start;
    start += loadDuration(load);
    return { name, from, to: start };
  });
};

/**
 * Returns the whole seconds after the warm-up and before `until` (ms). If stages are named, only their seconds are
 * returned.
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
