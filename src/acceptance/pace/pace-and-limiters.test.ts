// @gate 1 s
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulatePace, type SimulatedRequest } from '../../engine/pace-simulation.fixture.ts';
import { openMeter } from '../../mock/limits/meters.ts';

/**
 * A client with a pace against the reference gateway's limiters, which share no code with the pace.
 * The gateway counts each request up to a margin after it was sent; the pace knows only the margin.
 */

const margin = 4;
const length = 40;
const limit = 5;
const wishes = fc
  .array(
    fc.record({
      after: fc.oneof(fc.constant(0), fc.nat(20)),
      delay: fc.oneof(fc.constant(0), fc.nat(6)),
      counted: fc.nat(margin),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    let now = 1000;
    return list.map(({ after, delay, counted }) => {
      now += after;
      const wish: SimulatedRequest = {
        ready: now,
        delay,
        reserved: 1,
        used: 1,
        duration: margin,
        preferred: 0,
      };
      return { wish, counted };
    });
  });

/** How many of the requests a limiter refuses. */
const refusedBy = (
  kind: keyof typeof openMeter,
  phase: number,
  list: readonly { readonly wish: SimulatedRequest; readonly counted: number }[],
): number => {
  const rule = { requests: limit, tokens: null, window: length, margin, charged: 'ended' } as const;
  const counted = new Map(list.map(({ wish, counted: after }) => [wish, after]));
  const gone = simulatePace(
    rule,
    1,
    list.map(({ wish }) => wish),
  );
  const meter = openMeter[kind]({ limit, window: length, phase, burst: limit, steps: 4 });
  const instants = gone.map(({ sent, request }) => sent! + counted.get(request)!);
  return instants
    .toSorted((a, b) => a - b)
    .filter((at) => {
      if (meter.fits(at, 1)) {
        meter.count(at, 1);
        return false;
      }
      meter.onRefused(at);
      return true;
    }).length;
};

describe('a client with a pace', () => {
  it.each([
    'fixed-from-first',
    'fixed-aligned',
    'sliding-log',
    'sliding-log-counting-refusals',
    'token-bucket',
    'stepped-bucket',
    'leaky-queue',
  ] as const)('is never refused by a %s limiter', (kind) => {
    fc.assert(
      fc.property(wishes, fc.nat(length), (list, phase) => {
        expect(refusedBy(kind, phase, list)).toBe(0);
      }),
    );
  });
});
