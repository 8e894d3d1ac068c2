import { decodeHistogram, emptyHistogram, type Histogram } from '../model/histogram.ts';
import { measures } from '../model/measures.ts';
import { attemptsOf, type Observation, outcomeKinds } from '../model/observation.ts';
import { instant, secondOf } from '../model/quantity.ts';
import { type Second, type TimelineMeasure, timelineMeasures } from '../model/result.ts';
import { emptyOutcomes } from '../model/summary.ts';
import { type TrafficKind, trafficKinds } from '../model/traffic.ts';
import { recordBrought } from './brought.ts';
import type { Portion, Recorder } from './recorder.ts';
import { streamOf } from './stream-of.ts';

type Counts = Omit<Second, 'latency'>;

/** The counts that are plain numbers. */
const plainCounts = [
  'due',
  'begun',
  'sent',
  'ended',
  'tokenEvents',
  'inputTokens',
  'outputTokens',
  'audioReceived',
  'audioSent',
  'characters',
] as const satisfies readonly (keyof Counts)[];

type Distributions = Map<TimelineMeasure, Histogram>;
type Latency = Map<TrafficKind, Distributions>;

/**
 * The seconds that something happened in. An open histogram takes some 15 KB, an encoded one a few
 * hundred bytes: only the seconds touched last stay open, the others are sealed and opened again
 * for a straggler.
 */
export interface Timeline {
  readonly counts: Map<number, Counts>;
  /** Least recently touched first. */
  readonly open: Map<number, Latency>;
  readonly sealed: Map<number, Second['latency']>;
}

const samplesOf = {
  ttft: measures.ttft.of,
  firstAudio: measures.firstAudio.of,
  gap: measures.gap.of,
  endToEnd: measures.endToEnd.of,
  lag: (observation) => attemptsOf(observation).map(({ begun, released }) => begun - released),
} satisfies Record<TimelineMeasure, (observation: Observation) => ArrayLike<number>>;

const emptyTimeline = (): Timeline => ({ counts: new Map(), open: new Map(), sealed: new Map() });

const emptyCounts = (second: number): Counts => ({
  second,
  due: 0,
  begun: 0,
  sent: 0,
  ended: 0,
  outcomes: emptyOutcomes(),
  completed: {},
  tokenEvents: 0,
  inputTokens: 0,
  outputTokens: 0,
  audioReceived: 0,
  audioSent: 0,
  characters: 0,
});

const countsOf = ({ counts }: Timeline, second: number): Counts => {
  let found = counts.get(second);
  if (found === undefined) {
    found = emptyCounts(second);
    counts.set(second, found);
  }
  return found;
};

/** What there is of some keys, each turned into something else; in the order of the keys. */
const turned = <K, A, B>(
  keys: readonly K[],
  find: (key: K) => A | undefined,
  turn: (found: A) => B,
): [K, B][] =>
  keys.flatMap((key): [K, B][] => {
    const found = find(key);
    return found === undefined ? [] : [[key, turn(found)]];
  });

const seal = (latency: Latency): Second['latency'] =>
  Object.fromEntries(
    turned(
      trafficKinds,
      (kind) => latency.get(kind),
      (distributions) =>
        Object.fromEntries(
          turned(
            timelineMeasures,
            (measure) => distributions.get(measure),
            (histogram) => histogram.toJSON(),
          ),
        ),
    ),
  );

const unseal = (sealed: Second['latency']): Latency =>
  new Map(
    turned(
      trafficKinds,
      (kind) => sealed[kind],
      (encoded): Distributions =>
        new Map(turned(timelineMeasures, (measure) => encoded[measure], decodeHistogram)),
    ),
  );

const histogramOf = (latency: Latency, kind: TrafficKind, measure: TimelineMeasure): Histogram => {
  const distributions = latency.get(kind) ?? new Map<TimelineMeasure, Histogram>();
  latency.set(kind, distributions);
  const histogram = distributions.get(measure) ?? emptyHistogram(2);
  distributions.set(measure, histogram);
  return histogram;
};

const addLatency = (into: Latency, from: Latency): void => {
  for (const [kind, distributions] of from) {
    for (const [measure, histogram] of distributions) {
      histogramOf(into, kind, measure).add(histogram);
    }
  }
};

/** The open latencies of a second; to make room for them another second may be sealed. */
const latencyOf = ({ open, sealed }: Timeline, second: number, atMost: number): Latency => {
  const latency = open.get(second) ?? unseal(sealed.get(second) ?? {});
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

const recordCounts = (timeline: Timeline, observation: Observation): void => {
  const { due, outcome } = observation;
  countsOf(timeline, secondOf(due)).due += 1;
  countsOf(timeline, secondOf(observation.ended)).outcomes[outcome.kind] += 1;
  for (const { begun, sent, ended } of attemptsOf(observation)) {
    countsOf(timeline, secondOf(begun)).begun += 1;
    if (sent !== null) countsOf(timeline, secondOf(sent)).sent += 1;
    countsOf(timeline, secondOf(ended)).ended += 1;
  }
  for (const moment of streamOf(outcome)?.tokenInstants ?? []) {
    countsOf(timeline, secondOf(instant(moment))).tokenEvents += 1;
  }
  recordBrought(observation, (moment) => countsOf(timeline, secondOf(moment)));
};

const addCounts = (into: Counts, from: Counts): void => {
  for (const name of plainCounts) into[name] += from[name];
  for (const kind of outcomeKinds) into.outcomes[kind] += from.outcomes[kind];
  for (const kind of trafficKinds) {
    const completed = from.completed[kind] ?? 0;
    if (completed > 0) into.completed[kind] = (into.completed[kind] ?? 0) + completed;
  }
};

const latencyIn = ({ open, sealed }: Timeline, second: number): Latency | null => {
  const encoded = sealed.get(second);
  return open.get(second) ?? (encoded === undefined ? null : unseal(encoded));
};

const inTableOrder = (completed: Counts['completed']): Counts['completed'] =>
  Object.fromEntries(
    turned(
      trafficKinds,
      (kind) => completed[kind],
      (count) => count,
    ),
  );

const storeSecond = (timeline: Timeline, second: number): Second => {
  const counts = countsOf(timeline, second);
  const open = timeline.open.get(second);
  return {
    ...counts,
    outcomes: { ...counts.outcomes },
    completed: inTableOrder(counts.completed),
    latency: open === undefined ? (timeline.sealed.get(second) ?? {}) : seal(open),
  };
};

/** One second after another. */
function* splitTimeline(timeline: Timeline): Generator<Portion<Timeline, Second>> {
  for (const [second, each] of timeline.counts) {
    const stored = storeSecond(timeline, second);
    const counts = new Map([[second, each]]);
    const open = timeline.open.get(second);
    const state: Timeline =
      open === undefined
        ? { counts, open: new Map(), sealed: new Map([[second, stored.latency]]) }
        : { counts, open: new Map([[second, open]]), sealed: new Map() };
    yield { state, stored: [stored] };
  }
}

/** The run second by second, from 0 to the last in which anything happened; at most `openSeconds` of them in open form. */
export const timelineRecorder = (openSeconds = 128): Recorder<Timeline, Second> => ({
  empty: emptyTimeline,
  record: (timeline, observation) => {
    recordCounts(timeline, observation);
    if (observation.outcome.kind === 'dropped') return;
    const latency = latencyOf(timeline, secondOf(observation.due), openSeconds);
    for (const measure of timelineMeasures) {
      const samples = samplesOf[measure](observation);
      if (samples.length === 0) continue;
      const histogram = histogramOf(latency, observation.traffic, measure);
      for (const sample of samples) histogram.record(sample);
    }
  },
  add: (into, from) => {
    for (const [second, counts] of from.counts) {
      addCounts(countsOf(into, second), counts);
      const latency = latencyIn(from, second);
      if (latency !== null) addLatency(latencyOf(into, second, openSeconds), latency);
    }
  },
  store: (timeline) => {
    const seconds = [...timeline.counts.keys()].reduce((a, b) => Math.max(a, b), -1) + 1;
    return Array.from({ length: seconds }, (_, second) => storeSecond(timeline, second));
  },
  restore: (stored) => ({
    counts: new Map(
      stored.map((second) => {
        const { latency: _, ...counts } = second;
        return [counts.second, structuredClone(counts)];
      }),
    ),
    open: new Map(),
    sealed: new Map(stored.map(({ second, latency }) => [second, latency])),
  }),
  split: splitTimeline,
});
