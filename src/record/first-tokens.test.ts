// @gate 1 s
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TimelineMeasure } from '../model/measures/counts.ts';
import type { MeasureName } from '../model/measures/measures.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type Answer, partialOf } from '../model/observation/outcome.ts';
import { milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Result } from '../model/result/result.ts';
import { completedDistributionOf, distributionOf, latencyOver } from '../model/result/summary.ts';
import { trafficKinds } from '../model/workload/traffic.ts';
import { mergeResults } from './merge-results.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';
import { sampleFacts } from './sample-facts.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const plan = samplePlan();
const everywhere = (): boolean => true;

const resultOf = (observations: readonly Observation[], index = 0, count = 1): Result => {
  const tally = emptyTally(plan);
  for (const observation of observations) recordObservation(tally, observation);
  const facts = sampleFacts([{ index, count }]);
  return toResult(tally, { ...facts, scheduled: milliseconds(25_000), partial: null });
};

const answerOf = ({ outcome }: Observation): Answer | null =>
  outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);

const hasToken = (answer: Answer | null): boolean =>
  answer?.kind === 'chat-stream' && answer.firstToken !== null;
const hasAudio = (answer: Answer | null): boolean => answer?.kind === 'speech';

/** Returns the samples of a measure, and those of completed requests alone. */
const countsOf = (result: Result, name: MeasureName): readonly [number, number] => [
  distributionOf(result, name, everywhere).count,
  completedDistributionOf(result, name, everywhere).count,
];

/** Returns the samples of a measure in the charts over time, from which the intervals come as well. */
const countOverTime = ({ timeline }: Result, name: TimelineMeasure): number =>
  trafficKinds.reduce((sum, kind) => sum + latencyOver(timeline, kind, name).count, 0);

const expectedOf = (
  observations: readonly Observation[],
  has: (answer: Answer | null) => boolean,
): readonly [number, number] => {
  const found = observations.filter((each) => !each.toCancel && has(answerOf(each)));
  return [found.length, found.filter(({ outcome }) => outcome.kind === 'completed').length];
};

/** A stream that breaks after its first token. Random cases can all lack one. */
const brokenStream = sampleObservation({
  traffic: 'chat-stream',
  outcome: {
    kind: 'broken',
    cause: 'closed-early',
    detail: '',
    partial: sampleStream([5190, 5195]),
  },
});

it('every stream with a first token, and every speech with its first audio, counts, whatever became of it, unless the client was to hang up', () => {
  let later = 0;
  fc.assert(
    fc.property(anyObservations, anyObservations, (some, random) => {
      const others = [...random, brokenStream];
      const all = [...some, ...others];
      const merged = mergeResults([resultOf(some, 0, 2), resultOf(others, 1, 2)], ['a', 'b']);
      if (!merged.ok) throw new Error(merged.message);
      for (const result of [resultOf(all), merged.result]) {
        const [tokens, audio] = [expectedOf(all, hasToken), expectedOf(all, hasAudio)];
        expect(countsOf(result, 'ttft')).toEqual(tokens);
        expect(countsOf(result, 'firstAudio')).toEqual(audio);
        expect(countOverTime(result, 'ttft')).toBe(tokens[0]);
        expect(countOverTime(result, 'firstAudio')).toBe(audio[0]);
        later += tokens[0] - tokens[1];
        // No other measure has samples of failed requests.
        expect(countsOf(result, 'endToEnd')[0]).toBe(countsOf(result, 'endToEnd')[1]);
      }
    }),
    { numRuns: 20 },
  );
  expect(later).toBeGreaterThanOrEqual(40);
});
