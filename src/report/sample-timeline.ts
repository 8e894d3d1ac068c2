import { type Digits, emptyHistogram, type EncodedHistogram } from '../model/histogram.ts';
import { type MeasureName, measures } from '../model/measures.ts';
import type { Observation } from '../model/observation.ts';
import { type Second, timelineMeasures } from '../model/result.ts';
import { emptyOutcomes } from '../model/outcomes.ts';
import { trafficKinds } from '../model/traffic.ts';

/** Test support: the timeline of `sampleResult`, as plain and as separate from the stage `record` as the rest of it. */

export const encoded = (samples: readonly number[], digits: Digits): EncodedHistogram => {
  const histogram = emptyHistogram(digits);
  for (const sample of samples) histogram.record(sample);
  return histogram.toJSON();
};

const timelineSamples = (
  observations: readonly Observation[],
  name: (typeof timelineMeasures)[number],
): readonly number[] =>
  name === 'lag'
    ? observations.map(({ begun, released }) => begun - released)
    : observations.flatMap((each) => [...measures[name].of(each)]);

const latency = (dueNow: readonly Observation[]): Second['latency'] =>
  Object.fromEntries(
    trafficKinds.flatMap((kind) => {
      const own = dueNow.filter(({ traffic }) => traffic === kind);
      const distributions = timelineMeasures.flatMap((name) => {
        const samples = timelineSamples(own, name);
        return samples.length === 0 ? [] : [[name, encoded(samples, 2)] as const];
      });
      return own.length === 0 ? [] : [[kind, Object.fromEntries(distributions)] as const];
    }),
  );

const completedByKind = (endedNow: readonly Observation[]): Second['completed'] => {
  const done = endedNow.filter(({ outcome }) => outcome.kind === 'completed');
  return Object.fromEntries(
    trafficKinds.flatMap((kind) => {
      const own = done.filter(({ traffic }) => traffic === kind).length;
      return own === 0 ? [] : [[kind, own]];
    }),
  );
};

/** What came of one answer’s output tokens in a second; a sample’s stream has no fewer tokens than events. */
const outputIn = (second: number, { outcome, ended }: Observation): number => {
  if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return 0;
  const { answer } = outcome;
  const events = answer.kind === 'chat-stream' ? [...answer.tokenInstants] : [];
  const here = events.filter((moment) => secondIn(moment) === second).length;
  const isLast = secondIn(events.at(-1) ?? ended) === second;
  return here + (isLast ? answer.tokens.output - events.length : 0);
};

const brought = (
  second: number,
  endedNow: readonly Observation[],
  observations: readonly Observation[],
): Pick<Second, 'inputTokens' | 'outputTokens' | 'audioReceived' | 'audioSent' | 'characters'> => {
  const total = (name: MeasureName, unit = 1): number =>
    endedNow
      .flatMap((each) => [...measures[name].of(each)])
      .reduce((sum, sample) => sum + Math.round(sample * unit), 0);
  return {
    inputTokens: total('inputTokens'),
    outputTokens: observations.reduce((sum, each) => sum + outputIn(second, each), 0),
    audioReceived: total('speechSeconds', 1000),
    audioSent: total('clipSeconds', 1000),
    characters: total('characters'),
  };
};

const secondIn = (moment: number): number => Math.max(0, Math.floor(moment / 1000));

/** The run second by second, each counted over all observations anew. */
export const sampleTimeline = (observations: readonly Observation[]): readonly Second[] => {
  const last = Math.max(...observations.map(({ ended }) => secondIn(ended)));
  return Array.from({ length: last + 1 }, (_, second) => {
    const dueNow = observations.filter(({ due }) => secondIn(due) === second);
    const real = observations.filter(({ outcome }) => outcome.kind !== 'dropped');
    const endedNow = observations.filter(({ ended }) => secondIn(ended) === second);
    const outcomes = emptyOutcomes();
    for (const { outcome } of endedNow) outcomes[outcome.kind] += 1;
    return {
      second,
      due: dueNow.length,
      begun: real.filter(({ begun }) => secondIn(begun) === second).length,
      sent: real.filter(({ sent }) => sent !== null && secondIn(sent) === second).length,
      ended: endedNow.filter(({ outcome }) => outcome.kind !== 'dropped').length,
      outcomes,
      completed: completedByKind(endedNow),
      tokenEvents: 40 * endedNow.length,
      ...brought(second, endedNow, observations),
      latency: latency(dueNow),
    };
  });
};
