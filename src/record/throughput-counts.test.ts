// @gate 1 s
import type { TimelineSecond } from '../model/measures/counts.ts';
import type { Answer } from '../model/observation/outcome.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { TrafficKind } from '../model/workload/traffic.ts';
import { groupRecorder } from './groups.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import {
  sampleObservation,
  sampleSpeech,
  sampleStream,
  sampleTranscript,
} from './sample-observations.fixture.ts';
import { timelineRecorder } from './timeline.ts';

const timelineOf = (observations: readonly Observation[]): readonly TimelineSecond[] => {
  const recorder = timelineRecorder();
  const timeline = recorder.restore([]);
  for (const observation of observations) recorder.record(timeline, observation);
  return recorder.store(timeline);
};

const ending = (ended: number, answer: Answer): Observation =>
  sampleObservation({
    traffic: answer.kind,
    due: instant(0),
    ended: instant(ended),
    outcome: { kind: 'completed', answer },
  });

/** Returns the seconds that have tokens, each as `second outputTokens inputTokens`. */
const tokensOf = (observation: Observation): readonly string[] =>
  timelineOf([observation])
    .filter(({ outputTokens, inputTokens }) => outputTokens + inputTokens !== 0)
    .map(({ second, outputTokens, inputTokens }) => `${second} ${outputTokens} ${inputTokens}`);

describe('the throughput of completed answers', () => {
  const usage = (output: number) => ({ input: 10, output, source: 'usage' as const });

  it.each([
    ['one for each event', 3, ['1 2 0', '2 1 0', '3 0 10']],
    ['the remaining tokens with the last event', 8, ['1 2 0', '2 6 0', '3 0 10']],
    ['all with the last event if there are fewer than events', 2, ['2 2 0', '3 0 10']],
    ['none if there are none', 0, ['3 0 10']],
  ])('are tokens of a stream, %s', (_, output, expected) => {
    const answer = sampleStream([1000, 1500, 2100], { tokens: usage(output) });
    expect(tokensOf(ending(3200, answer))).toEqual(expected);
  });

  it('counts tokens at the end if no event shows when they came', () => {
    expect(tokensOf(ending(3200, sampleStream([], { tokens: usage(7) })))).toEqual(['3 7 10']);
    expect(tokensOf(sampleObservation())).toEqual(['5 20 10']);
  });

  it('counts no tokens of a broken answer', () => {
    const partial = sampleStream([1000, 1500]);
    const outcome = { kind: 'broken', cause: 'reset', detail: '', partial } as const;
    const [, first] = timelineOf([
      sampleObservation({ due: instant(0), ended: instant(2000), outcome }),
    ]);
    expect([first?.tokenEvents, first?.outputTokens, first?.completed]).toEqual([2, 0, {}]);
  });

  it('counts audio and characters at the end', () => {
    const seconds = timelineOf([
      ending(1200, sampleSpeech({ audioSeconds: 2.0004 })),
      ending(1300, sampleTranscript()),
      ending(1400, sampleTranscript({ audioSeconds: null })),
    ]);
    expect(
      seconds
        .slice(0, 2)
        .map(({ audioReceived, audioSent, characters }) => [audioReceived, audioSent, characters]),
    ).toEqual([
      [0, 0, 0],
      [2000, 8000, 32],
    ]);
  });

  it('adds up over the timeline to the counts of the groups', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        const seconds = timelineOf(observations);
        const recorder = groupRecorder(samplePlan());
        const state = recorder.restore([]);
        for (const observation of observations) recorder.record(state, observation);
        const groups = recorder.store(state);
        const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
        const sums = groups.flatMap(({ tokens }) => tokens);
        expect(total(seconds.map((each) => each.outputTokens))).toBe(
          total(sums.map(({ output }) => output)),
        );
        expect(total(seconds.map((each) => each.inputTokens))).toBe(
          total(sums.map(({ input }) => input)),
        );
        expect(seconds.every(({ outputTokens }) => outputTokens >= 0)).toBe(true);
        for (const { second, completed, outcomes } of seconds) {
          expect([second, total(Object.values(completed))]).toEqual([second, outcomes.completed]);
        }
        const byKind = (kind: TrafficKind): number =>
          total(
            groups.filter(({ labels }) => labels.traffic === kind).map((g) => g.outcomes.completed),
          );
        for (const kind of ['chat', 'speech', 'models'] as const) {
          expect(total(seconds.map(({ completed }) => completed[kind] ?? 0))).toBe(byKind(kind));
        }
        const received = total(groups.map((g) => g.distributions.speechSeconds?.sum ?? 0));
        expect(total(seconds.map((each) => each.audioReceived)) / 1000).toBeCloseTo(received, 9);
      }),
    );
  });
});
