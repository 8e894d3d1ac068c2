import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { DecisionHistory } from './decision-history.ts';

/** So many refusals show how long the network takes, */
const minRefusals = 10;
/** and what they show is off by at most so many standard errors. */
const certainty = 3;
/** An admitted request can take more of the network than a refused one: a cap that is too small by less than so many times is not ruled out. */
const spared = 1.25;
/** The stays of at most so many requests are added up. */
const mostAdded = 256;

const timeOf = ({ sent, ended }: LimiterDecision): number => ended - sent;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The smallest cap under which the admitted requests could stay at the gateway as long as they did. A refusal takes the
 * network only, so what an answer takes longer is its stay: too uncertain for one, but not for the sum of many, which is at
 * most the cap times the span from the first one's begin to the last one's end (Little's law).
 */
const smallestCap = ({ admitted, decisions }: DecisionHistory): number => {
  const refusals = decisions.filter((each) => !each.admitted).map(timeOf);
  if (refusals.length < minRefusals) return 1;
  const network = meanOf(refusals);
  const shortest = Math.min(...refusals);
  const spread = Math.sqrt(meanOf(refusals.map((time) => (time - network) ** 2)));
  const requests = admitted.toSorted((a, b) => a.sent - b.sent);
  let most = 0;
  for (let count = 2; count <= Math.min(mostAdded, requests.length); count *= 2) {
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
  return Math.max(1, Math.ceil(most / spared));
};

/** How many admitted requests were in flight at once, at the most. */
const deepest = ({ admitted, sent }: DecisionHistory): number => {
  const ends = Float64Array.from(admitted, ({ ended }) => ended).sort();
  let most = 0;
  let ended = 0;
  for (const [place, begun] of sent.entries()) {
    while (ended < ends.length && ends[ended]! <= begun) ended += 1;
    most = Math.max(most, place + 1 - ended);
  }
  return most;
};

/** The caps on requests in flight that are possible: every number that were in flight, unless their stays would not have fit. */
export const inFlightCaps = (history: DecisionHistory): readonly number[] => {
  const [least, most] = [smallestCap(history), deepest(history)];
  return Array.from({ length: Math.max(0, most + 1 - least) }, (_, i) => least + i);
};

/** Stays are seen if half of the admitted requests take longer than this share of the refusals. */
const refusalQuantile = 0.9;

/**
 * Whether the admitted requests certainly were at the gateway for a while. Where their stays are lost in the network, a small
 * cap explains whatever was refused soon after an admission.
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
