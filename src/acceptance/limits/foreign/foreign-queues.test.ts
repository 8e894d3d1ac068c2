// @long 64 s
import { describe, expect, it } from 'vitest';
import { compliantSimulation } from '../compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from '../examine-simulated-gateway.fixture.ts';
import { simulationOf } from './campaign.fixture.ts';
import { examineForeignGateway } from './examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import type { ForeignSimulation } from './foreign-gateway.fixture.ts';
import { plantedFaults } from './planted-faults.fixture.ts';

const queues = [
  'go.uber.org/ratelimit 0.3.1, without slack',
  'nginx, limit_req burst of a sixth of the limit',
];

const delaying = [
  'aiolimiter 1.3.0, AsyncLimiter',
  'golang.org/x/time/rate 0.16.0, Wait with a burst of the limit',
  'go.uber.org/ratelimit 0.3.1, slack of 10',
];

/** Sixty in a minute, over a network that a queue’s waits are seen over. */
const simulate = (name: string, fault: string | null): ForeignSimulation => {
  const limiter = foreignLimiters.findIndex((each) => each.name === name);
  const place = fault === null ? null : plantedFaults.findIndex((each) => each.name === fault);
  const terms = { limiter, fault: place, limit: 60, window: 60_000, seed: 3 };
  const { simulation } = simulationOf(terms);
  return { ...simulation, roundTrip: 30, jitter: 6, service: [5, 40], failureShare: 0 };
};

/** A server behind the limiter that serves one request after the other, each for so long in ms. */
const serially = (simulation: ForeignSimulation, each: number): ForeignSimulation => ({
  ...simulation,
  service: [1, 2],
  openGate: (setting) => {
    const gate = simulation.openGate(setting);
    let free = 0;
    return (request) => {
      const decision = gate(request);
      if (!decision.admitted) return decision;
      free = Math.max(free, request.now + decision.delay) + each;
      return { ...decision, delay: free - request.now };
    };
  },
});

describe('a queue, which delays instead of refusing', () => {
  it.each(queues)('keeps its limit, and is named: %s', async (name) => {
    const { judgement } = await examineForeignGateway(simulate(name, null));
    expect(judgement.verdict).toBe('kept');
    expect(judgement.identification.best?.limiter).toBe('leaky-queue');
  });

  it.each(
    queues.flatMap((name) =>
      ['limit × 0.9', 'limit × 1.1', 'window × 0.8', 'window × 1.2'].map((fault) => [name, fault]),
    ),
  )('of another rate violates it by the times of its answers: %s, %s', async (name, fault) => {
    const { judgement } = await examineForeignGateway(simulate(name, fault));
    expect(judgement.verdict).toBe('violated');
    expect(judgement.identification.best?.limiter).toBe('leaky-queue');
    expect(judgement.reasons.join()).toContain('limit-fitted: leaky-queue: 60 requests in ');
  });

  it.each(['limit × 1.1', 'limit × 1.2'])(
    'of sixty in ten seconds that is faster is never called kept: %s',
    async (fault) => {
      const limiter = foreignLimiters.findIndex(({ name }) => name === queues[1]);
      const place = plantedFaults.findIndex(({ name }) => name === fault);
      for (const seed of [0, 1, 2, 3]) {
        const cell = { limiter, fault: place, limit: 60, window: 10_000, seed };
        const { judgement } = await examineForeignGateway(simulationOf(cell).simulation);
        expect(judgement.verdict, `seed ${seed}`).not.toBe('kept');
      }
    },
  );

  it.each(delaying)(
    'that begins after a burst keeps its limit, which its pace shows: %s',
    async (name) => {
      const { judgement } = await examineForeignGateway(simulate(name, null));
      expect(judgement.verdict).toBe('kept');
      expect(judgement.reasons.join()).toContain('every 1 s');
      for (const fault of ['limit × 0.9', 'limit × 1.1']) {
        const other = await examineForeignGateway(simulate(name, fault));
        expect(other.judgement.verdict, fault).toBe('violated');
      }
    },
  );

  it.each([0.8, 0.9])(
    'of the reference gateway at %d of the limit is never called kept',
    async (share) => {
      for (const seed of [1, 6, 7, 10]) {
        const { simulation, declared } = compliantSimulation('leaky-queue', seed);
        const requestsPerMinute = Math.round(share * declared.requests);
        const limits = { ...simulation.limits, requestsPerMinute };
        const { judgement } = await examineSimulatedGateway({ ...simulation, limits }, declared);
        expect(judgement.verdict, `seed ${seed}`).not.toBe('kept');
      }
    },
  );

  it.each([200, 900, 1100, 1500].map((each, place) => [each, place] as const))(
    'is not seen in a server that takes %i ms for each request, one after the other, behind a limiter that keeps its limit',
    async (each, place) => {
      const limiters = foreignLimiters.filter(({ keeps }) => keeps === 'yes');
      for (const { name } of limiters.filter((_, i) => i % 12 === 3 * place)) {
        const { judgement } = await examineForeignGateway(serially(simulate(name, null), each));
        expect(judgement.verdict, name).not.toBe('violated');
      }
    },
  );
});

it('a cap on requests in flight is named where a gateway has one, and not where answers are no longer at the gateway than the network hides', async () => {
  const { simulation, declared } = compliantSimulation('in-flight', 3);
  const { judgement } = await examineSimulatedGateway(simulation, declared);
  expect(judgement.identification.best?.limiter).toBe('in-flight');
  const limiter = foreignLimiters.findIndex(({ name }) => name.startsWith('go-chi/httprate'));
  for (const [window, seed] of [
    [10_000, 1],
    [60_000, 0],
  ] as const) {
    const cell = { limiter, fault: null, limit: 500, window, seed };
    const found = await examineForeignGateway(simulationOf(cell).simulation);
    expect(found.judgement.verdict).not.toBe('violated');
    expect(found.judgement.identification.best).toBeNull();
  }
});
