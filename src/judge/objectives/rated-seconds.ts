import { loadDuration, type Plan } from '../../model/plan/plan.ts';
import { firstMeasuredSecond } from '../../model/result/summary.ts';

/** Start and end of each stage in ms of the run. */
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
 * The whole seconds of a rate: from the end of the warm-up to `until` (ms), within the named stages if
 * any.
 */
export const ratedSeconds = (
  plan: Plan,
  until: number,
  stages: readonly string[] | null,
): readonly number[] => {
  const first = firstMeasuredSecond({ plan });
  const last = Math.floor(until / 1000);
  const chosen = stageSpans(plan).filter(({ name }) => stages === null || stages.includes(name));
  const isInStages = (second: number): boolean =>
    stages === null ||
    chosen.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to);
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).filter(isInStages);
};
