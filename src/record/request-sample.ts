import { measures } from '../model/measures/measures.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type OutcomeKind, outcomeKinds } from '../model/observation/outcome.ts';
import type { Plan } from '../model/plan/plan.ts';
import { instant } from '../model/quantity.ts';
import {
  type RequestSample,
  type SampledRow,
  sampledRequests,
} from '../model/result/request-sample.ts';
import { hashOf } from '../model/workload/draw.ts';
import { type TrafficKind, trafficKinds } from '../model/workload/traffic.ts';
import { byText, type Recorder, roundedFigure } from './recorder.ts';

interface RankedRequest {
  readonly rank: number;
  readonly traffic: TrafficKind;
  readonly outcome: OutcomeKind;
  readonly row: SampledRow;
}

/** The requests with the lowest ranks, in the order of their ranks. The list has at most `kept` requests. */
interface LowestRanks {
  readonly kept: number;
  readonly requests: RankedRequest[];
  /** The rank above which a request is dropped. */
  limit: number;
}

export interface RequestSamples {
  readonly counts: Partial<Record<TrafficKind, Partial<Record<OutcomeKind, number>>>>;
  readonly completed: LowestRanks;
  readonly failed: LowestRanks;
}

/**
 * Compares ranked requests by rank. Requests of equal rank are compared by their text, so the order never depends on
 * chance.
 */
const inOrder = (a: RankedRequest, b: RankedRequest): number =>
  a.rank - b.rank || byText(JSON.stringify(a), JSON.stringify(b));

/** Returns the index of the first request that comes after the given request. */
const placeOf = (requests: readonly RankedRequest[], request: RankedRequest): number => {
  let low = 0;
  let high = requests.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (inOrder(requests[middle]!, request) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

const keepRequest = (lowest: LowestRanks, request: RankedRequest): void => {
  const { requests, kept } = lowest;
  if (request.rank > lowest.limit) return;
  requests.splice(placeOf(requests, request), 0, request);
  if (requests.length > kept) requests.pop();
  if (requests.length === kept) lowest.limit = Math.min(lowest.limit, requests.at(-1)!.rank);
};

const countRequests = (
  { counts }: RequestSamples,
  traffic: TrafficKind,
  outcome: OutcomeKind,
  count: number,
): void => {
  const ofKind = (counts[traffic] ??= {});
  ofKind[outcome] = (ofKind[outcome] ?? 0) + count;
};

/** Rounds a number to thousandths, as histograms do. */
const round = (value: number): number => Math.round(value * 1000) / 1000;

const rowOf = (observation: Observation): SampledRow => {
  const { stage, index, due, ended, outcome } = observation;
  return [
    stage,
    index,
    instant(round(due)),
    outcome.kind === 'dropped' ? null : round(ended - due),
    roundedFigure(measures.ttft.of(observation)[0]),
    observation.traffic === 'chat-stream'
      ? roundedFigure(measures.inputTokens.of(observation)[0])
      : null,
  ];
};

const listFor = (samples: RequestSamples, outcome: OutcomeKind): LowestRanks =>
  outcome === 'completed' || outcome === 'cancelled' ? samples.completed : samples.failed;

const noRequests = (kept: number, limit = Infinity): LowestRanks => ({ kept, requests: [], limit });

/**
 * Creates an empty state for the next part of the run, which is later added to the given state. The new state drops a
 * request at once if the request's rank is too high for the given state.
 */
export const continueSample = ({ completed, failed }: RequestSamples): RequestSamples => ({
  counts: {},
  completed: noRequests(completed.kept, completed.limit),
  failed: noRequests(failed.kept, failed.limit),
});

const storedCounts = ({ counts }: RequestSamples): RequestSample[] =>
  trafficKinds.flatMap((traffic) =>
    outcomeKinds.flatMap((outcome) => {
      const count = counts[traffic]?.[outcome];
      return count === undefined ? [] : [{ traffic, outcome, count, rows: [] }];
    }),
  );

const store = (samples: RequestSamples): RequestSample[] => {
  const stored = storedCounts(samples);
  const byEnd = new Map(stored.map((each) => [`${each.traffic} ${each.outcome}`, each]));
  for (const { traffic, outcome, row } of [
    ...samples.completed.requests,
    ...samples.failed.requests,
  ])
    byEnd.get(`${traffic} ${outcome}`)!.rows.push(row);
  return stored;
};

/** The number of rows in a portion. Adding and writing a portion takes about a quarter of a millisecond. */
const rowsPerPortion = 250;

/**
 * Samples completed requests and failed requests: the requests with the lowest hashes of seed, stage and index. Such a
 * sample is as good as a random draw. The lowest hashes of a run are also among the lowest hashes of their slice, so
 * merged slices have the same sample as one process.
 */
export const requestSampleRecorder = (
  { seed }: Pick<Plan, 'seed'>,
  kept: { readonly completed: number; readonly failed: number } = sampledRequests,
): Recorder<RequestSamples, RequestSample> => {
  const rankOf = (stage: number, index: number): number => hashOf(seed, stage, index);
  const empty = (): RequestSamples => ({
    counts: {},
    completed: noRequests(kept.completed),
    failed: noRequests(kept.failed),
  });
  return {
    record: (samples, observation) => {
      const { traffic, stage, index } = observation;
      const outcome = observation.outcome.kind;
      countRequests(samples, traffic, outcome, 1);
      const list = listFor(samples, outcome);
      const rank = rankOf(stage, index);
      // For most requests of a long run, the function ends here, because most requests are not in the sample.
      if (rank > list.limit) return;
      keepRequest(list, { rank, traffic, outcome, row: rowOf(observation) });
    },
    add: (into, from) => {
      for (const { traffic, outcome, count } of storedCounts(from))
        countRequests(into, traffic, outcome, count);
      for (const request of from.completed.requests) keepRequest(into.completed, request);
      for (const request of from.failed.requests) keepRequest(into.failed, request);
    },
    store,
    restore: (stored) => {
      const samples = empty();
      for (const { traffic, outcome, count, rows } of stored) {
        countRequests(samples, traffic, outcome, count);
        const list = listFor(samples, outcome);
        for (const row of rows)
          keepRequest(list, { rank: rankOf(row[0], row[1]), traffic, outcome, row });
      }
      return samples;
    },
    *split(samples) {
      const counts: RequestSamples = { ...empty(), counts: samples.counts };
      yield { state: counts, stored: store(counts) };
      const requests = [...samples.completed.requests, ...samples.failed.requests];
      for (let from = 0; from < requests.length; from += rowsPerPortion) {
        const state = empty();
        for (const request of requests.slice(from, from + rowsPerPortion)) {
          countRequests(state, request.traffic, request.outcome, 0);
          keepRequest(listFor(state, request.outcome), request);
        }
        yield { state, stored: store(state) };
      }
    },
  };
};
