import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { missingStreamsText, selfTestText } from './run-verdict.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';

type Canary = GeneratorSample['canary'];

const calm: Canary = {
  streams: 20,
  errors: [
    [0.06, 390],
    [0.4, 10],
  ],
};
const late: Canary = { streams: 20, errors: [[90, 400]] };

/** A run of these seconds, in one loop or several. */
const watched = (canary: boolean, ...loops: readonly (readonly Canary[])[]): Result => {
  const result = sampleRunResult();
  const [slice] = result.slices;
  return {
    ...result,
    plan: { ...result.plan, canary, warmUp: milliseconds(1000) },
    slices: loops.map((seconds, index) => ({
      ...slice!,
      index,
      count: loops.length,
      generator: seconds.map((each, second) => ({
        ...slice!.generator[0]!,
        second,
        canary: each,
      })),
    })),
  };
};

describe('the lateness of the self-test streams', () => {
  it('covers the same seconds as the figures', () => {
    expect(selfTestText(watched(true, [late, calm, calm]))).toBe(
      'Self-test streams were read late by p50 0.06 ms, p99 0.40 ms (20 streams, 800 events).',
    );
  });

  it('says what it is after the first second, if that second is included and worse', () => {
    const run = watched(true, [late, calm, calm]);
    const cold = { ...run, plan: { ...run.plan, warmUp: milliseconds(0) } };
    expect(selfTestText(cold)).toMatch(/p99 90\.0 ms .*; p99 0\.40 ms after the first second\)\.$/);
  });

  it('covers all loops together, and says if no event was read', () => {
    expect(selfTestText(watched(true, [late, calm], [late, calm], [late, null]))).toBe(
      'Self-test streams were read late by p50 0.06 ms, p99 0.40 ms (20 streams in each of 2 loops, 800 events; 33.3 % of them are missing).',
    );
  });

  it.each([
    ['switched off', false, /disables the self-test streams .*: measurement errors count from/],
    ['dead', true, /^No event of the self-test streams was read/],
  ])('is reported as missing if the canary was %s', (_, canary, said) => {
    expect(selfTestText(watched(canary, [null, null]))).toBeNull();
    expect(missingStreamsText(watched(canary, [null, null]))).toMatch(said);
    expect(missingStreamsText(watched(canary, [late, calm]))).toBeNull();
  });

  it('is expected of every kind of traffic', () => {
    const run = watched(false, [null, null]);
    const stages = run.plan.stages.map((stage) => ({
      ...stage,
      traffic: stage.traffic.filter(({ kind }) => kind !== 'chat-stream'),
    }));
    expect(stages.flatMap(({ traffic }) => traffic)).not.toEqual([]);
    expect(missingStreamsText({ ...run, plan: { ...run.plan, stages } })).toMatch(/canary: false/);
  });

  it('is not expected in old results, nor of a load that saturates the target', () => {
    const { plan, ...before } = sampleRunResult();
    const { canary: _, ...earlier } = plan;
    expect(missingStreamsText({ ...before, plan: earlier })).toBeNull();
    const load = { kind: 'saturate', connections: 10, duration: milliseconds(30_000) } as const;
    const stages = plan.stages.map((stage) => ({ ...stage, load }));
    expect(missingStreamsText({ ...before, plan: { ...plan, canary: false, stages } })).toBeNull();
  });
});
