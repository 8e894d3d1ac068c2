import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import { wilsonInterval } from '../../../model/measures/quantile.ts';
import type { FairnessReport } from '../model/fairness-report.ts';
import { dueWithin, type SeenArrival, type SeenRun } from '../model/seen-arrival.ts';

/**
 * The possible lengths, in ms, of the parts into which the time after the end of the noise is divided. The shortest
 * length that gives enough requests is used.
 */
const resolutions = [500, 1000, 2000, 5000, 10_000, 20_000, 60_000];

/**
 * The minimum number of requests that were due in the first part after the noise, summed over all ends of the noise.
 * With fewer requests, a longer part is tried.
 */
const leastInPart = 20;

/**
 * Returns, for each end of a noise, the instant of the end, and the instant at which the next noise begins or the
 * observed run ends.
 */
const endsOfNoise = ({ blocks, until }: SeenRun): readonly { from: number; to: number }[] =>
  blocks.flatMap(({ isNoisy, to }, place) => {
    const next = blocks[place + 1];
    if (!isNoisy || next?.isNoisy === true || to >= until) return [];
    const quietUntil = blocks.slice(place + 1).find((each) => each.isNoisy)?.begins ?? until;
    return [{ from: to, to: Math.min(quietUntil, until) }];
  });

/**
 * Returns how long after the end of the noise the quiet population has recovered. The time after the noise is divided
 * into parts, and the requests after all ends of the noise are judged together. The yardstick is the percentile of the
 * blocks without noise, for example the p95, which 5 % of the requests exceed there. A part is bad if certainly more
 * than twice this share of its requests, here 10 %, exceed the yardstick or failed. The population has recovered at the
 * first of two consecutive good parts, since a single part may be good by chance.
 */
export const backAfterNoise = (run: SeenRun): FairnessReport['back'] => {
  const { q, blocks, until } = run;
  const own = run.arrivals.filter(({ population, isTimed }) => population === run.quiet && isTimed);
  const calm = blocks
    .filter(({ isNoisy, to }) => !isNoisy && to <= until)
    // Only the second half of a block is used, since the first half may still show effects of an earlier noise.
    .flatMap(({ from, to }) => dueWithin(own, (from + to) / 2, to));
  const ends = endsOfNoise(run);
  const usual = percentileWithFailures(
    calm.map(({ most }) => most),
    q,
  );
  if (ends.length === 0 || !Number.isFinite(usual)) return null;
  const seen = Math.min(...ends.map(({ from, to }) => to - from));
  const isBad = (arrivals: readonly SeenArrival[]): boolean => {
    const slow = arrivals.filter(({ most }) => most > usual).length;
    return arrivals.length > 0 && wilsonInterval(slow, arrivals.length).low > 2 * (1 - q);
  };
  const partOf = (part: number, length: number): readonly SeenArrival[] =>
    ends.flatMap(({ from }) => dueWithin(own, from + part * length, from + (part + 1) * length));
  const resolution = resolutions.find(
    (length) => 2 * length <= seen && partOf(0, length).length >= leastInPart,
  );
  if (resolution === undefined) return null;
  const parts = Array.from({ length: Math.floor(seen / resolution) }, (_, part) =>
    isBad(partOf(part, resolution)),
  );
  const loud = blocks
    .filter(({ isNoisy, to }) => isNoisy && to <= until)
    .flatMap(({ from, to }) => dueWithin(own, from, to));
  const first = parts.findIndex((bad, part) => !bad && parts[part + 1] !== true);
  return {
    wasAway: isBad(loud),
    after: first < 0 ? null : first * resolution,
    resolution,
    seen,
    ends: ends.length,
  };
};
