import { describe, expect, it } from 'vitest';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

const terms = { limit: 60, window: 60_000 };

const compliant = [...foreignLimiters.entries()].filter(
  ([, { keeps, offers }]) => keeps === 'yes' && (offers?.(terms) ?? true),
);

describe('an examination with --quick of 60 requests in 60 s', () => {
  it.each(mockLimiterClasses)('names a %s with fewer than 150 requests', async (algorithm) => {
    for (const seed of [0, 1, 2]) {
      const isCap = algorithm === 'in-flight';
      const limits = { algorithm, requestsPerMinute: 60, window: 60_000, burstShare: 0.3 };
      const { log, judgement } = await examineSimulatedGateway(
        {
          limits: isCap ? { ...limits, inFlight: 6 } : { ...limits, steps: 6 },
          seed,
          roundTrip: [10, 20 + 60 * seed],
          service: isCap ? 400 : [5, 40],
        },
        { requests: terms.limit, window: terms.window },
        ['provocation'],
      );
      const { best, ties } = judgement.identification;
      expect(log.replies.length).toBeLessThan(150);
      expect(log.cut).toBeNull();
      expect([best, ...ties].map((fit) => fit?.limiter)).toContain(algorithm);
    }
  });

  it.each(compliant.map(([place, { name }]) => [name, place] as const))(
    'accuses the rule of %s of nothing, with fewer than 150 requests',
    async (_, limiter) => {
      const cell = { limiter, fault: null, ...terms, seed: 1 };
      const { simulation } = simulationOf(cell);
      const { log, judgement } = await examineForeignGateway(simulation, ['provocation']);
      expect(log.replies.length).toBeLessThan(150);
      expect(judgement.verdict).not.toBe('violated');
    },
  );
});
