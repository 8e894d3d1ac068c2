import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { DecisionHistory } from './decision-history.ts';

/** The minimum number of refusals that show the time of the network. */
const minRefusals = 10;
/** The number of standard errors by which the time of the network may be off. */
const certainty = 3;
/**
 * The ratio by which a computed cap may be too large: an admitted request can take more time on the network than a
 * refused one.
 */
const capTolerance = 1.25;
/** The maximum number of requests whose stays are added up. */
const maxRequests = 256;

const timeOf = ({ sent, ended }: LimiterDecision): number => ended - sent;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Computes the smallest cap on requests in flight that the stays of the admitted requests permit. A stay is the time of
 * an answer minus the time of the network, which refusals show. One stay is uncertain, but the sum of many is not. By
 * Little's law it is at most the cap times the span from the first request to the last end. Example: 40 stays of 30 ms
 * within 100 ms are 1,200 ms in 100 ms, so at least 12 requests were in flight on average, and the cap is no smaller.
 */
const smallestCap = ({ admitted, decisions }: DecisionHistory): number => {
  const refusals = decisions.filter((each) => !each.admitted).map(timeOf);
  if (refusals.length < minRefusals) return 1;
  const network = meanOf(refusals);
  const shortest = Math.min(...refusals);
  const spread = Math.sqrt(meanOf(refusals.map((time) => (time - network) ** 2)));
  const requests = admitted.toSorted((a, b) => a.sent - b.sent);
  let most = 0;
  for (let count = 2; count <= Math.min(maxRequests, requests.length); count *= 2) {
    const uncertainty =
      certainty * spread * (Math.sqrt(count) + count / Math.sqrt(refusals.length));
    for (let from = 0; from + count <= requests.length; from += 1) {
      let taken = 0;
      let last = 0;
      for (let place = from; place < from + count; place += 1) {
        taken += timeOf(requests[place]!);
        last = Math.max(last, requests[place]!.ended);
      }
      const stayed = taken - count * network - uncertainty;
      const span = last - requests[from]!.sent - shortest;
      if (stayed > 0) most = Math.max(most, stayed / span);
    }
  }
  return Math.max(1, Math.ceil(most / capTolerance));
};

/** Counts the largest number of admitted requests that were in flight at once. */
const countDeepest = ({ admitted, sent }: DecisionHistory): number => {
  const ends = Float64Array.from(admitted, ({ ended }) => ended).sort();
  let most = 0;
  let ended = 0;
  for (const [place, begun] of sent.entries()) {
    while (ended < ends.length && ends[ended]! <= begun) ended += 1;
    most = Math.max(most, place + 1 - ended);
  }
  return most;
};

/**
 * Returns the caps on requests in flight that are possible, from the smallest that the stays permit to the largest
 * number in flight at once.
 */
export const inFlightCaps = (history: DecisionHistory): readonly number[] => {
  const [least, most] = [smallestCap(history), countDeepest(history)];
  return Array.from({ length: Math.max(0, most + 1 - least) }, (_, i) => least + i);
};

/** The quantile of the durations of refusals that the median admitted request must exceed to show a stay. */
const refusalQuantile = 0.9;

/**
 * Decides whether the admitted requests certainly stayed in the gateway for a while. If the network hides their stays,
 * a small cap explains every refusal soon after an admission.
 */
export const areStaysSeen = (log: readonly LimiterDecision[]): boolean => {
  const timesOf = (isAdmitted: boolean): readonly number[] =>
    log
      .filter(({ admitted }) => admitted === isAdmitted)
      .map(timeOf)
      .toSorted((a, b) => a - b);
  const [admitted, refused] = [timesOf(true), timesOf(false)];
  const usual = admitted[Math.floor(admitted.length / 2)] ?? 0;
  return usual > (refused[Math.floor(refused.length * refusalQuantile)] ?? 0);
};
