import {
  type TimelineSecond,
  type TimelineMeasure,
  timelineMeasures,
} from '../model/measures/counts.ts';
import { decodeHistogram, emptyHistogram, type Histogram } from '../model/measures/histogram.ts';
import { addPrefill, noPrefills } from '../model/measures/prefill.ts';
import { measures, tabledSamples } from '../model/measures/measures.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import { secondOf, type Instant, instant } from '../model/quantity.ts';
import { type TrafficKind, trafficKinds } from '../model/workload/traffic.ts';
import { addCounts, mapInOrder, type Recorder, getOrCreate, streamOf } from './recorder.ts';
import type { Answer } from '../model/observation/outcome.ts';
import { emptySecond } from '../model/measures/outcome-counts.ts';

/** The counts of a second that grow when an answer completes. */
type ThroughputCounts = Pick<
  TimelineSecond,
  | 'completed'
  | 'toCancel'
  | 'inputTokens'
  | 'outputTokens'
  | 'cached'
  | 'prefill'
  | 'audioReceived'
  | 'audioSent'
  | 'characters'
>;
type CountsAt = (moment: Instant) => ThroughputCounts;

const sum = (samples: ArrayLike<number>): number => {
  let whole = 0;
  for (let i = 0; i < samples.length; i += 1) whole += samples[i]!;
  return whole;
};

const noInstants: Float64Array = new Float64Array(0);

/**
 * Counts instants by second. A second may contain thousands of instants, so all instants of a second are added at once.
 */
const countBySecond = (
  instants: Float64Array,
  add: (moment: Instant, count: number) => void,
): void => {
  let from = 0;
  while (from < instants.length) {
    const moment = instant(instants[from]!);
    const second = secondOf(moment);
    let to = from + 1;
    while (to < instants.length && secondOf(instant(instants[to]!)) === second) to += 1;
    add(moment, to - from);
    from = to;
  }
};

/**
 * Counts the output tokens of an answer. Each token event of a stream counts as one token at the instant of the event.
 * Further tokens count at the last event. If the stream has more events than tokens, all its tokens count at the last
 * event. The tokens of other answers count at the end of the answer.
 */
const recordOutput = (answer: Answer, ended: Instant, at: CountsAt): void => {
  if (!('tokens' in answer)) return;
  const { output } = answer.tokens;
  const events = answer.kind === 'chat-stream' ? answer.tokenInstants : noInstants;
  const spread = output < events.length ? noInstants : events;
  countBySecond(spread, (moment, count) => (at(moment).outputTokens += count));
  at(instant(events.at(-1) ?? ended)).outputTokens += output - spread.length;
};

const recordPrompt = ({ sent }: Observation, answer: Answer, second: ThroughputCounts): void => {
  if (!('tokens' in answer)) return;
  const { input, cached, repeated } = answer.tokens;
  if (input === null) return;
  if (cached !== undefined) {
    const sums = (second.cached ??= { input: 0, tokens: 0 });
    sums.input += input;
    sums.tokens += Math.min(cached, input);
  }
  if (repeated === undefined || answer.kind !== 'chat-stream') return;
  if (answer.firstToken === null || sent === null) return;
  second.prefill ??= { ...noPrefills };
  addPrefill(second.prefill, { time: answer.firstToken - sent, input, repeated });
};

const countIn = (counts: TimelineSecond['completed'], kind: TrafficKind): void => {
  counts[kind] = (counts[kind] ?? 0) + 1;
};

/**
 * Counts a completed answer in the second in which it ended, with its tokens, audio and characters. Only the output
 * tokens of a stream are counted in the seconds in which they arrived.
 */
const recordThroughput = (observation: Observation, at: CountsAt): void => {
  const { outcome, traffic, ended } = observation;
  if (outcome.kind !== 'completed') return;
  if (observation.toCancel) countIn(at(observation.due).toCancel!.completed, traffic);
  const last = at(ended);
  countIn(last.completed, traffic);
  last.inputTokens += sum(measures.inputTokens.of(observation));
  last.audioReceived += Math.round(sum(measures.speechSeconds.of(observation)) * 1000);
  last.audioSent += Math.round(sum(measures.clipSeconds.of(observation)) * 1000);
  last.characters += sum(measures.characters.of(observation));
  recordPrompt(observation, outcome.answer, last);
  recordOutput(outcome.answer, ended, at);
};

type CountsBySecond = Map<number, CountsInSecond>;
type CountsInSecond = Omit<TimelineSecond, 'latency'>;

const countsIn = (counts: CountsBySecond, second: number): CountsInSecond =>
  getOrCreate(counts, second, () => emptySecond(second));

/** Counts each event of an observation in the second in which it happened. */
const recordCounts = (counts: CountsBySecond, observation: Observation): void => {
  const { due, outcome } = observation;
  let last = countsIn(counts, secondOf(due));
  // A second may contain thousands of tokens, so the counts of the last used second are cached.
  const at = (moment: Instant): CountsInSecond => {
    const second = secondOf(moment);
    if (last.second !== second) last = countsIn(counts, second);
    return last;
  };
  at(due).due += 1;
  if (observation.toCancel) (at(due).toCancel ??= { due: 0, completed: {} }).due += 1;
  at(observation.ended).outcomes[outcome.kind] += 1;
  for (const { begun, sent, ended } of attemptsOf(observation)) {
    at(begun).begun += 1;
    if (sent !== null) at(sent).sent += 1;
    at(ended).ended += 1;
  }
  countBySecond(streamOf(outcome)?.tokenInstants ?? noInstants, (moment, count) => {
    at(moment).tokenEvents += count;
  });
  recordThroughput(observation, at);
};

type Latency = Partial<Record<TrafficKind, Partial<Record<TimelineMeasure, Histogram>>>>;

/**
 * The seconds with events. An open histogram takes a kilobyte for each used part of its range, and an encoded histogram
 * takes some hundred bytes. Only the most recently used seconds therefore stay open. The others are encoded, and opened
 * again for late requests.
 */
export interface Timeline {
  readonly counts: CountsBySecond;
  /** The latencies of open seconds, the least recently used first. */
  readonly open: Map<number, Latency>;
  readonly sealed: Map<number, TimelineSecond['latency']>;
  /** The second of the run that was used last. */
  newest: number;
}

const samplesOf = {
  ttft: (observation) => tabledSamples('ttft', observation),
  firstAudio: (observation) => tabledSamples('firstAudio', observation),
  gap: measures.gap.of,
  endToEnd: measures.endToEnd.of,
  lag: (observation) => attemptsOf(observation).map(({ begun, released }) => begun - released),
} satisfies Record<TimelineMeasure, (observation: Observation) => ArrayLike<number>>;

/** If the client planned to hang up on a request, only these measures of the request are recorded. */
const ofToCancel: readonly TimelineMeasure[] = ['lag'];

const noSecond = -1;

const seal = (latency: Latency): TimelineSecond['latency'] =>
  mapInOrder(trafficKinds, latency, (distributions) =>
    mapInOrder(timelineMeasures, distributions, (histogram) => histogram.toJSON()),
  );

const unseal = (sealed: TimelineSecond['latency']): Latency =>
  mapInOrder(trafficKinds, sealed, (encoded) =>
    mapInOrder(timelineMeasures, encoded, decodeHistogram),
  );

const histogramOf = (latency: Latency, kind: TrafficKind, measure: TimelineMeasure): Histogram => {
  const distributions = (latency[kind] ??= {});
  return (distributions[measure] ??= emptyHistogram(2));
};

const addLatency = (into: Latency, from: Latency): void => {
  for (const kind of trafficKinds) {
    for (const measure of timelineMeasures) {
      const histogram = from[kind]?.[measure];
      if (histogram !== undefined) histogramOf(into, kind, measure).add(histogram);
    }
  }
};

/**
 * Returns the open latencies of a second. If more than `atMost` seconds are then open, the least recently used seconds
 * are encoded.
 */
const openLatencyOf = (timeline: Timeline, second: number, atMost: number): Latency => {
  const { open, sealed } = timeline;
  const existing = open.get(second);
  // Most requests are due in the same second as the previous request.
  if (existing !== undefined && timeline.newest === second) return existing;
  timeline.newest = second;
  const latency = existing ?? unseal(sealed.get(second) ?? {});
  sealed.delete(second);
  open.delete(second);
  open.set(second, latency);
  for (const [oldest, idle] of open) {
    if (open.size <= atMost) break;
    sealed.set(oldest, seal(idle));
    open.delete(oldest);
  }
  return latency;
};

const storeSecond = (timeline: Timeline, second: number): TimelineSecond => {
  const { toCancel, cached, prefill, ...counts } = countsIn(timeline.counts, second);
  const open = timeline.open.get(second);
  return {
    ...counts,
    outcomes: { ...counts.outcomes },
    completed: mapInOrder(trafficKinds, counts.completed, (count) => count),
    ...(cached && { cached: { ...cached } }),
    ...(prefill && { prefill: { ...prefill } }),
    ...(toCancel && {
      toCancel: {
        due: toCancel.due,
        completed: mapInOrder(trafficKinds, toCancel.completed, (count) => count),
      },
    }),
    latency: open === undefined ? (timeline.sealed.get(second) ?? {}) : seal(open),
  };
};

/**
 * The number of seconds that stay open while parts are added. A small number is enough, because adding a part uses each
 * second once.
 */
const openSecondsWhenAdding = 16;

/**
 * Records the run second by second, from 0 to the last second with an event. At most `openSeconds` seconds are open at
 * the same time.
 */
export const timelineRecorder = (openSeconds = 128): Recorder<Timeline, TimelineSecond> => ({
  record: (timeline, observation) => {
    recordCounts(timeline.counts, observation);
    if (observation.outcome.kind === 'dropped') return;
    const latency = openLatencyOf(timeline, secondOf(observation.due), openSeconds);
    for (const measure of observation.toCancel ? ofToCancel : timelineMeasures) {
      const samples = samplesOf[measure](observation);
      if (samples.length === 0) continue;
      const histogram = histogramOf(latency, observation.traffic, measure);
      histogram.recordAll(samples);
    }
  },
  add: (into, from) => {
    for (const { second, ...counts } of from.counts.values()) {
      addCounts(countsIn(into.counts, second), counts);
      const sealed = from.sealed.get(second);
      const latency = from.open.get(second) ?? (sealed && unseal(sealed));
      if (latency === undefined) continue;
      addLatency(
        openLatencyOf(into, second, Math.min(openSeconds, openSecondsWhenAdding)),
        latency,
      );
    }
  },
  store: (timeline) => {
    const seconds = [...timeline.counts.keys()].reduce((a, b) => Math.max(a, b), -1) + 1;
    return Array.from({ length: seconds }, (_, second) => storeSecond(timeline, second));
  },
  restore: (stored) => ({
    counts: new Map(
      stored.map((each) => {
        const { latency: _, ...counts } = each;
        return [counts.second, structuredClone(counts)];
      }),
    ),
    open: new Map(),
    sealed: new Map(stored.map(({ second, latency }) => [second, latency])),
    newest: noSecond,
  }),
  *split({ counts, open, sealed }) {
    for (const entry of counts) {
      const [second] = entry;
      const latency = open.get(second);
      const state: Timeline = {
        counts: new Map([entry]),
        open: new Map(latency && [[second, latency]]),
        sealed,
        newest: noSecond,
      };
      yield { state, stored: [storeSecond(state, second)] };
    }
  },
});
