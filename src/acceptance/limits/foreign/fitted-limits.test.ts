// @long 26 s
import { describe, expect, it } from 'vitest';
import type { Fitted } from '../../../model/limits/limiter-fit.ts';
import { drawFrom } from '../../../model/workload/draw.ts';
import { simulationOf } from './campaign.fixture.ts';
import { examineForeignGateway } from './examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import { plantedFaults } from './planted-faults.fixture.ts';

const limiters = [
  'express-rate-limit 8.7.4, MemoryStore',
  'Resilience4j, AtomicRateLimiter without a timeout',
  'limits 5.8.0, moving window in memory',
  'golang.org/x/time/rate 0.16.0, Allow with a burst of the limit',
];

const cellOf = (limiter: string, fault: string, seed: number) => ({
  limiter: foreignLimiters.findIndex(({ name }) => name === limiter),
  fault: plantedFaults.findIndex(({ name }) => name === fault),
  // At a rate below one a second a bucket that counts whole seconds can be as slow as one of a lower limit.
  limit: 60,
  window: 60_000,
  seed,
});

describe('a limit that is not the declared one', () => {
  it.each([
    ['limit × 0.9', 54, 60_000],
    ['window × 0.8', 60, 48_000],
    ['window × 1.2', 60, 72_000],
  ])(
    'is found, and its interval includes what the gateway enforces: %s',
    async (fault, limit, window) => {
      for (const name of limiters) {
        const { simulation } = simulationOf(cellOf(name, fault, 1));
        // Too slow for the even pace to show it.
        const slow = { ...simulation, roundTrip: 140, jitter: 30, pause: 0, failureShare: 0 };
        const { judgement } = await examineForeignGateway({ ...slow, service: [400, 900] });
        const { best, ties } = judgement.identification;
        expect(judgement.verdict, name).toBe('violated');
        expect(best?.wrong, name).toBe(0);
        const includes = ({ least, most }: Fitted, value: number): boolean =>
          least <= value && value <= most;
        const isFound = [best!, ...ties].some(
          (fit) => includes(fit.limit, limit) && includes(fit.window, window),
        );
        expect(isFound, name).toBe(true);
      }
    },
  );

  it.each(limiters)('is found where it is two requests less than twenty: %s', async (name) => {
    const { simulation } = simulationOf(cellOf(name, 'limit × 0.9', 1));
    const { judgement } = await examineForeignGateway({
      ...simulation,
      limit: 20,
      window: 10_000,
      failureShare: 0,
    });
    expect(judgement.verdict).toBe('violated');
    const { limit } = judgement.identification.best!;
    expect([limit.least, limit.most]).toEqual([18, 18]);
  });

  it('is found in a bucket that holds less than the limit, over a network too slow for an even pace to show it', async () => {
    const fault = 'sustained rate × 0.5, bursts of a sixth';
    const { simulation } = simulationOf(cellOf(limiters[0]!, fault, 1));
    const slow = {
      roundTrip: 140,
      jitter: 28,
      pause: 0,
      service: [2, 10],
      failureShare: 0,
    } as const;
    const { judgement } = await examineForeignGateway({
      ...simulation,
      ...slow,
      limit: 60,
      window: 10_000,
    });
    expect(judgement.verdict).toBe('violated');
    expect(judgement.identification.best?.limiter).toBe('burst-bucket');
  });

  it.each([
    ['limit × 0.9', 'the server’s clock', 'exact'],
    ['limit × 1.1', 'the server’s clock', 'exact'],
    ['window × 1.2', 'the server’s clock', 'exact'],
    ['limit × 0.9', 'any clock', 'none'],
    ['limit × 1.1', 'any clock', 'none'],
  ] as const)('is found in a weighted counter: %s, by %s', async (fault, _, date) => {
    const cell = cellOf('limits 5.8.0, sliding window counter in memory', fault, 1);
    const { simulation } = simulationOf({ ...cell, limit: 60, window: 10_000 });
    const { judgement } = await examineForeignGateway({ ...simulation, date, failureShare: 0 });
    expect(judgement.verdict).toBe('violated');
  });

  it('is found where a window that ends during a burst seemed to be another user of the key', async () => {
    const cell = cellOf('@upstash/ratelimit 2.2.0, fixedWindow', 'window × 1.5', 8);
    const { simulation } = simulationOf({ ...cell, limit: 60 });
    const { judgement } = await examineForeignGateway(simulation);
    expect(judgement.verdict).toBe('violated');
  });

  it('is found although some requests fail after the limiter has admitted them', async () => {
    const cell = cellOf('limits 5.8.0, moving window in memory', 'window × 1.2', 3);
    const { simulation } = simulationOf({ ...cell, limit: 30 });
    const { judgement } = await examineForeignGateway({ ...simulation, failureShare: 0.02 });
    expect(judgement.checks.find(({ id }) => id === 'limit-fitted')?.finding).toBe('refuted');
  });

  it.each([
    { limit: 30, window: 10_000, seed: 29 },
    { limit: 30, window: 60_000, seed: 38 },
  ])(
    'is not seen in a part of an examination where a request waited for the next window: $limit in $window ms',
    async (terms) => {
      const name = 'Resilience4j, AtomicRateLimiter with the default timeout of 5 s';
      const limiter = foreignLimiters.findIndex((each) => each.name === name);
      const { simulation } = simulationOf({ limiter, fault: null, ...terms });
      const phases = ['provocation', 'concurrency'] as const;
      const { judgement } = await examineForeignGateway(simulation, phases);
      expect(judgement.verdict).not.toBe('violated');
      expect(judgement.identification.best?.limiter ?? 'fixed-any-phase').toBe('fixed-any-phase');
    },
  );

  it.each([
    ['late answers under load', { pause: 0, late: 1000 }],
    ['a machine that stalls every second', { pause: 3000, late: 10 }],
  ])('is never called kept, whatever the noise: %s', async (_, { pause, late }) => {
    const { simulation } = simulationOf(cellOf(limiters[2]!, 'window × 1.2', 1));
    for (let seed = 0; seed < 15; seed += 1) {
      const draw = drawFrom(seed, 1);
      let first = Infinity;
      const { judgement } = await examineForeignGateway({
        ...simulation,
        seed,
        limit: 20,
        window: 10_000,
        roundTrip: 1,
        jitter: 300,
        pause,
        openGate: (setting) => {
          const gate = simulation.openGate(setting);
          return (request) => {
            first = Math.min(first, request.now);
            const isLoaded = request.now - first > 40_000;
            return { ...gate(request), delay: isLoaded ? late * draw.uniform() ** 2 : 0 };
          };
        },
      });
      expect(judgement.verdict, `seed ${seed}`).not.toBe('kept');
    }
  });
});
