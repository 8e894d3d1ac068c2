// @long 1 s
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fakeWorld, type SentRequest } from '../../engine/fake-world.fixture.ts';
import { fakePlan, startFakeRun } from '../../engine/fake-run.fixture.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { withoutPrompts } from '../../model/plan/without-prompts.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { mergeResults } from '../../record/merge-results.ts';
import { toResult } from '../../record/tally.ts';

/** Whole runs on a manual clock, against a gateway whose answers depend on the request alone. */

const json = 'application/json';
const modelList = JSON.stringify({ object: 'list', data: [] });

/** A number from 0 to 1 that depends on a text alone. */
const shareOf = (text: string): number => {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 10_007;
  return hash / 10_007;
};

/** When and how the gateway answers a request. */
const answerTo = ({ request, at }: SentRequest) => {
  const id = request.headers['x-request-id'] ?? JSON.stringify(request.headers);
  const share = shareOf(id);
  const status = share > 0.9 ? 429 : share > 0.85 ? 500 : 200;
  return { due: Math.ceil(at) + 1 + Math.floor(share * 300), status };
};

const end = 4000;

const observationsOf = (plan: Plan, slice: Slice): readonly Observation[] => {
  const world = fakeWorld();
  const { observations } = startFakeRun(plan, slice, world);
  for (let now = 1; now <= end; now += 1) {
    world.advanceTo(now);
    for (const exchange of world.sent) {
      if (exchange.isFinished) continue;
      const { due, status } = answerTo(exchange);
      if (due <= now) exchange.answer(status, json, status === 200 ? modelList : '{}');
    }
  }
  return observations;
};

const resultOf = (plan: Plan, slice: Slice): Result => {
  const tally = createIncrementalTally(plan);
  for (const observation of observationsOf(plan, slice)) tally.record(observation);
  return toResult(tally.whole(), {
    weir: '0.1.0',
    runId: 'r',
    plan: withoutPrompts(plan),
    planHash: planHash(plan),
    slices: [
      {
        ...slice,
        startedAt: '2026-11-25T10:00:00.000Z',
        baseUrl: 'http://127.0.0.1:1/v1',
        machine: { node: 'v24', platform: 'linux', cpu: 'any', cores: 2 },
        generator: [],
      },
    ],
    scheduled: milliseconds(1500),
    partial: null,
    breach: undefined,
    notes: [],
    gatewayCounters: null,
  });
};

/** The result without what names slices and machines. */
const withoutHosts = (result: Result): string => JSON.stringify({ ...result, slices: [] });

const duration = milliseconds(1500);
const rates = fc.integer({ min: 1, max: 60 }).map(perSecond);

const loads: fc.Arbitrary<Load> = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    spacing: fc.constantFrom('even' as const, 'poisson' as const, { gamma: 0.5 }),
    curve: fc.tuple(rates, rates).map(([from, to]) => [{ from, to, duration }]),
  }),
  fc.record({
    kind: fc.constant('closed' as const),
    users: fc.integer({ min: 1, max: 12 }),
    duration: fc.constant(duration),
    thinkTime: fc.integer({ min: 0, max: 200 }).map(milliseconds),
    rampUp: fc.constantFrom(0, 500).map(milliseconds),
  }),
);

const plans = fc
  .record({ load: loads, seed: fc.integer({ min: 0, max: 1e6 }) })
  .map(({ load, seed }) =>
    fakePlan(load, {
      seed,
      warmUp: milliseconds(200),
      grace: milliseconds(2000),
      inFlight: 100_000,
      deadlines: { connect: null, firstToken: null, idle: null, total: null },
    }),
  );

it('the merged result of any number of slices is byte for byte that of one process, but for what names slices and machines', () => {
  let requests = 0;
  fc.assert(
    fc.property(plans, fc.integer({ min: 2, max: 7 }), (plan, count) => {
      const whole = resultOf(plan, { index: 0, count: 1 });
      const parts = Array.from({ length: count }, (_, index) => resultOf(plan, { index, count }));
      const merged = mergeResults(parts);
      if (!merged.ok) throw new Error(merged.message);
      requests += countArrivals(sumOutcomes(whole.groups));
      expect(withoutHosts(merged.result)).toBe(withoutHosts(whole));
    }),
    { numRuns: 25 },
  );
  // The law is about something.
  expect(requests).toBeGreaterThan(300);
}, 60_000);

it('slices send disjoint requests, each in order, which together are those of one process', () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: 2, max: 9 }), (plan, count) => {
      const requestOf = ({ stage, index, due, sent }: Observation) => [stage, index, due, sent];
      const key = (observation: Observation): string => JSON.stringify(requestOf(observation));
      const whole = observationsOf(plan, { index: 0, count: 1 }).map(key);
      const parts = Array.from({ length: count }, (_, index) =>
        observationsOf(plan, { index, count }),
      );
      expect(parts.flatMap((part) => part.map(key)).toSorted()).toEqual(whole.toSorted());
      expect(new Set(whole).size).toBe(whole.length);
      for (const part of parts) {
        const sent = part.map((observation) => observation.sent ?? 0);
        const starts = part
          .toSorted((a, b) => a.due - b.due || a.index - b.index)
          .map((observation) => observation.sent ?? 0);
        expect(starts).toEqual(sent.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 30 },
  );
}, 60_000);
