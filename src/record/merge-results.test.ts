import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { owns } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { planHash } from '../model/plan/plan-hash.ts';
import { withoutPrompts } from '../model/plan/without-prompts.ts';
import type { Result, ResultFacts } from '../model/result/result.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { lagOver } from '../model/result/summary.ts';
import { mergeResults, mergeSlices } from './merge-results.ts';
import { anyObservations } from './recorder-suite.fixture.ts';
import { sampleFacts, sampleSliceRun } from './sample-facts.fixture.ts';
import { sampleObservation } from './sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const resultOf = (
  observations: readonly Observation[],
  slices: readonly number[],
  { count = 2, ...differing }: Partial<ResultFacts> & { readonly count?: number } = {},
): Result => {
  const plan = differing.plan ?? samplePlan();
  const tally = emptyTally(plan);
  for (const observation of observations) recordObservation(tally, observation);
  return toResult(
    tally,
    sampleFacts(
      slices.map((index) => ({ index, count })),
      differing,
    ),
  );
};
const merged = (...results: readonly Result[]): Result => {
  const merging = mergeResults(results);
  if (!merging.ok) throw new Error(merging.message);
  return merging.result;
};
const refusal = (results: readonly Result[], names?: readonly string[]): string => {
  const merging = mergeResults(results, names);
  return merging.ok ? 'merged' : merging.message;
};

describe('merged results', () => {
  it('of all slices equal the result of one run, to the last byte of every histogram', () => {
    fc.assert(
      fc.property(anyObservations, fc.integer({ min: 1, max: 4 }), (observations, count) => {
        const slices = Array.from({ length: count }, (_, index) => index);
        const parts = slices.map((index) =>
          resultOf(
            observations.filter((_, i) => owns({ index, count }, i)),
            [index],
            { count },
          ),
        );
        const together = resultOf(observations, slices, { count });
        // Only merged slices have their own lag.
        const whole = count === 1 ? together : { ...together, slices: mergeSlices(parts) };
        expect(JSON.stringify(merged(...parts))).toBe(JSON.stringify(whole));
        expect(JSON.stringify(merged(...parts.toReversed()))).toBe(JSON.stringify(whole));
      }),
      { numRuns: 12 },
    );
  });

  it('keep the start of each slice, however often they are merged', () => {
    const late = sampleObservation({ due: instant(4900), released: instant(4900) });
    const parts = [late, sampleObservation(), sampleObservation()].map((observation, index) =>
      resultOf([observation], [index], { count: 3 }),
    );
    const own = parts.map((part) => lagOver(part.timeline).toJSON());
    expect(own[0]!.max).toBeGreaterThan(own[1]!.max!);
    const [a, b, c] = parts as [Result, Result, Result];
    for (const whole of [merged(a, b, c), merged(merged(c, a), b)]) {
      expect(whole.slices.map(({ lag }) => lag)).toEqual(own);
    }
  });

  it('can be merged further', () => {
    const parts = [0, 1, 2].map((index) => resultOf([sampleObservation()], [index], { count: 3 }));
    const [a, b, c] = parts as [Result, Result, Result];
    expect(merged(merged(a, b), c)).toEqual(merged(a, merged(c, b)));
    expect(merged(merged(a, b), c)).toEqual(merged(a, b, c));
  });

  it('of a single slice equal that slice’s result, of which judges report the missing slices', () => {
    const alone = resultOf([sampleObservation()], [1]);
    expect(merged(alone)).toEqual(alone);
  });

  it('contain each note of the slices once, and cover the longest of them', () => {
    const a = resultOf([], [0], {
      notes: ['both', 'first'],
      partial: 'interrupted',
      scheduled: milliseconds(1000),
    });
    const b = resultOf([], [1], { notes: ['both', 'second'], partial: 'interrupted' });
    const both = merged(b, a);
    expect(both.notes).toEqual(['both', 'first', 'second']);
    expect(both.partial).toBe('interrupted');
    expect(both.scheduled).toBe(25_000);
    expect(merged(resultOf([], [0], { partial: 'out of time' }), b).partial).toBe(
      'out of time; interrupted',
    );
    expect(merged(resultOf([], [0]), b).partial).toBe('interrupted');
  });

  it('keep the hash of the plan that was run', () => {
    const whole = merged(resultOf([], [0]), resultOf([], [1]));
    expect(whole.plan).toEqual(withoutPrompts(samplePlan()));
    expect(whole.planHash).toBe(planHash(samplePlan()));
    expect(whole.planHash).not.toBe(planHash(whole.plan));
  });

  it('start when the first slice started', () => {
    const early = {
      ...sampleSliceRun({ index: 1, count: 2 }),
      startedAt: '2026-07-01T10:20:29.900Z',
    };
    expect(merged(resultOf([], [0]), resultOf([], [], { slices: [early] })).startedAt).toBe(
      early.startedAt,
    );
  });

  it.each([
    ['all parts read the same', { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }],
    ['parts read differently', { a: 1 }, { a: 2 }, null],
    ['only one part read them', { a: 1 }, null, null],
    ['no part read them', null, null, null],
  ])('keep the target’s counters if %s: otherwise they prove nothing', (_, a, b, both) => {
    expect(
      merged(resultOf([], [0], { gatewayCounters: a }), resultOf([], [1], { gatewayCounters: b }))
        .gatewayCounters,
    ).toEqual(both);
  });
});

describe('slices that used different addresses', () => {
  const asking = (index: number, port: number): Result =>
    resultOf([], [], {
      notes: ['a field was left out'],
      gatewayCounters: { completed: 20 },
      slices: [{ ...sampleSliceRun({ index, count: 3 }), baseUrl: `http://127.0.0.1:${port}/v1` }],
    });
  const [a, b, c] = [asking(0, 4100), asking(1, 4101), asking(2, 4100)];

  it('are named in one note, in any order of merging', () => {
    const whole = merged(a, b, c);
    expect(whole.notes).toMatchInlineSnapshot(`
      [
        "a field was left out",
        "The slices used different addresses, and the figures combine all of them: http://127.0.0.1:4100/v1 (slices 0 and 2) and http://127.0.0.1:4101/v1 (slice 1).",
      ]
    `);
    expect(whole.baseUrl).toBe('http://127.0.0.1:4100/v1');
    expect(merged(merged(a, b), c)).toEqual(whole);
    expect(merged(a, merged(c, b))).toEqual(whole);
    expect(merged(merged(a, c), b)).toEqual(whole);
  });

  it('have no mock counters, even if each gateway counted the same', () => {
    expect(merged(a, b).gatewayCounters).toBeNull();
    expect(merged(a, c).gatewayCounters).toEqual({ completed: 20 });
  });
});

describe('merging refuses', () => {
  const first = resultOf([sampleObservation()], [0]);

  it.each([
    [
      'another plan',
      resultOf([], [1], { planHash: planHash(samplePlan({ seed: 43 })) }),
      /differ in the plan’s hash: /,
    ],
    ['another run', resultOf([], [1], { runId: 'other' }), /differ in the run’s id: run .* other/],
    [
      'another version',
      resultOf([], [1], { weir: '0.2.0' }),
      /differ in the version of Weir: 0\.1\.0 .* 0\.2\.0/,
    ],
    [
      'another number of slices',
      resultOf([], [1], { count: 3 }),
      /differ in the number of slices: 2 .* 3/,
    ],
    ['the same slice', resultOf([], [0]), /^Slice 0\/2 is in both result 1 and result 2/],
  ])('%s', (_, second, message) => {
    expect(refusal([first, second])).toMatch(message);
  });

  it('histograms with another number of digits', () => {
    const [group] = first.groups;
    const endToEnd = { ...group!.distributions.endToEnd!, digits: 2 as const };
    const coarse = { ...resultOf([], [1]), groups: [{ ...group!, distributions: { endToEnd } }] };
    expect(refusal([first, coarse])).toMatch(/digits: 3 in distributions.* 2 in distr/);
  });

  it('an empty list of results', () => {
    expect(refusal([])).toBe('There is nothing to merge: expected at least one result.');
  });

  it('results, naming them as given', () => {
    expect(refusal([first, first], ['a.json', 'b.json'])).toMatchInlineSnapshot(
      `"Slice 0/2 is in both a.json and b.json; its requests would count twice. Leave one of them out."`,
    );
    expect(
      refusal([first, resultOf([], [1], { weir: '2' })], ['a.json', 'b.json']),
    ).toMatchInlineSnapshot(
      `"Only slices of one run can be merged, but these differ in the version of Weir: 0.1.0 in a.json, 2 in b.json. Run all slices with the same plan, the same --run-id and the same version of Weir."`,
    );
  });
});
