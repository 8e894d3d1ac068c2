import { loadDuration, type Plan } from '../model/plan.ts';
import { firstMeasuredSecond } from '../model/summary.ts';

/**
 * The whole seconds that a rate is over: from the end of the warm-up to `until` (ms), within the
 * stages of these names where any are given.
 */
export const ratedSeconds = (
  plan: Plan,
  until: number,
  stages: readonly string[] | null,
): readonly number[] => {
  const first = firstMeasuredSecond({ plan });
  const last = Math.floor(until / 1000);
  let start = 0;
  const spans = plan.stages.map(({ name, load }) => {
    const from = start;
    start += loadDuration(load);
    return { name, from, to: start };
  });
  const chosen = spans.filter(({ name }) => stages === null || stages.includes(name));
  const inside = (second: number): boolean =>
    stages === null ||
    chosen.some(({ from, to }) => second * 1000 >= from && (second + 1) * 1000 <= to);
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).filter(inside);
};
