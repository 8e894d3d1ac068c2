import { criticalNormal } from '../../../judge/statistics/student-t.ts';
import { dependenceOfShare, strongest } from '../../../model/measures/dependence.ts';
import { wilsonInterval } from '../../../model/measures/quantile.ts';
import { type Share, shareOf } from '../../../model/measures/share.ts';
import type { PolicyPhases, SeenRequest } from '../model/seen-request.ts';

/** The possible lengths of a window in ms. The shortest length with enough requests is used. */
const lengths = [500, 1000, 2000, 5000, 10_000, 20_000];

/**
 * The number of parts of the base. The differences between the parts show how the requests of the base depend on each
 * other.
 */
const baseParts = 40;

/** The minimum number of windows after the overload. */
const minWindowsAfter = 5;

/** If the target is unchanged, at least one window is judged bad with this probability. */
const falseAlarmRate = 0.05;

/** A window is bad if its share of late or failed requests exceeds the share in the base by more than this amount. */
const marginShare = 0.1;

/** The yardstick for requests, taken from a base: the time before an overload. */
export interface Yardstick {
  readonly within: number;
  readonly length: number;
  /** Returns whether surely more requests are bad than allowed. `windows` is the number of windows that are judged. */
  readonly isBad: (requests: readonly SeenRequest[], windows?: number) => boolean;
  /** Returns whether surely no more requests are bad than allowed. */
  readonly isGood: (requests: readonly SeenRequest[]) => boolean;
}

export const isWithin = ({ came, due }: SeenRequest, within: number): boolean =>
  Number.isFinite(came) && came - due <= within;

export const dueIn = (
  requests: readonly SeenRequest[],
  from: number,
  to: number,
): readonly SeenRequest[] => requests.filter(({ due }) => due >= from && due < to);

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the items in each whole window of a span, assigned by their instants. The time after the last whole window is
 * in no window.
 */
export const inWindows = <T>(
  all: readonly T[],
  instantOf: (each: T) => number,
  { from, to }: Span,
  length: number,
): readonly (readonly T[])[] => {
  const windows = Array.from({ length: Math.floor((to - from) / length + 1e-9) }, (): T[] => []);
  for (const each of all) windows[Math.floor((instantOf(each) - from) / length)]?.push(each);
  return windows;
};

export const windowsOf = (
  requests: readonly SeenRequest[],
  span: Span,
  length: number,
): readonly (readonly SeenRequest[])[] => inWindows(requests, ({ due }) => due, span, length);

const slowerThan = (requests: readonly SeenRequest[], time: number): Share => ({
  events: requests.filter((request) => !isWithin(request, time)).length,
  of: requests.length,
});

/**
 * Returns the yardstick of a base; `null` if no window length has enough requests. A window has enough requests if it
 * would surely be bad when all its requests fail. Requests of one queue depend on each other, so their number is
 * divided by a design effect. The design effect is the larger of two estimates from the base: for requests slower than
 * the median, and for requests slower than `within`.
 */
export const yardstickOf = (
  requests: readonly SeenRequest[],
  { from, peak, gone, until }: PolicyPhases,
  { median, within }: { readonly median: number; readonly within: number },
): Yardstick | null => {
  const base = dueIn(requests, from, peak);
  const parts = windowsOf(requests, { from, to: peak }, (peak - from) / baseParts);
  const dependence = strongest(
    [median, within].map((time) => dependenceOfShare(parts.map((part) => slowerThan(part, time)))),
  );
  const afterIn = (length: number): number => Math.floor((until - gone) / length + 1e-9);
  const quantileFor = (windows: number): number => criticalNormal((2 * falseAlarmRate) / windows);
  const length = lengths.find((each) => {
    const windows = afterIn(each);
    const due = (base.length * each) / (peak - from);
    return (
      windows >= minWindowsAfter &&
      due / (dependence?.effect ?? Infinity) >= quantileFor(windows) ** 2
    );
  });
  if (dependence === null || length === undefined) return null;
  const { effect } = dependence;
  const allowed = Math.min(0.9, shareOf(slowerThan(base, within)) + marginShare);
  const intervalOf = (some: readonly SeenRequest[], quantile: number) => {
    const { events, of } = slowerThan(some, within);
    return of === 0 ? { low: 0, high: 1 } : wilsonInterval(events / effect, of / effect, quantile);
  };
  return {
    within,
    length,
    isBad: (some, windows = 1) => intervalOf(some, quantileFor(windows)).low > allowed,
    isGood: (some) => intervalOf(some, quantileFor(1)).high <= allowed,
  };
};
