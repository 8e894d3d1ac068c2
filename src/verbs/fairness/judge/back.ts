import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import { wilsonInterval } from '../../../model/measures/quantile.ts';
import type { FairnessReport } from '../model/fairness-report.ts';
import { dueWithin, type SeenArrival, type SeenRun } from '../model/seen-arrival.ts';

/**
 * The time after a noise is divided into parts of one of these lengths, in ms: the first that gives enough requests.
 */
const resolutions = [500, 1000, 2000, 5000, 10_000, 20_000, 60_000];

/**
 * A length is used only if at least this many requests were due in its first part, summed over all ends of the noise.
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
 * Returns how long after the noise the quiet population has recovered. The usual percentile of the blocks without noise
 * is the yardstick: without noise, for example, 5 % of requests are slower than the p95. A part of the time after the
 * noise is bad if surely more than twice this share of its requests are slower or failed. The population has recovered
 * at the first of two consecutive good parts, since a single part may be good by chance. The requests after all ends of
 * the noise are judged together.
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
