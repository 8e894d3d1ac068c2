// @long 5 s
import { describe, expect, it } from 'vitest';
import { nameLimiter } from '../../verbs/limits/judge/name-limiter.ts';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import type { LimitLog } from '../../model/limits/limit-log.ts';
import { instant } from '../../model/quantity.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

/** What `--quick` examines. */
const quick = ['provocation'] as const;
const terms = { limit: 60, window: 60_000 };
const declared = { requests: terms.limit, window: terms.window };
const promised = 150;

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
        declared,
        quick,
      );
      const { best, ties } = judgement.identification;
      expect(log.replies.length).toBeLessThan(promised);
      expect(log.cut).toBeNull();
      expect([best, ...ties].map((fit) => fit?.limiter)).toContain(algorithm);
    }
  });

  it.each(compliant.map(([place, { name }]) => [name, place] as const))(
    'accuses the rule of %s of nothing, with fewer than 150 requests',
    async (_, limiter) => {
      const cell = { limiter, fault: null, ...terms, seed: 1 };
      const { simulation } = simulationOf(cell);
      const { log, judgement } = await examineForeignGateway(simulation, quick);
      expect(log.replies.length).toBeLessThan(promised);
      expect(judgement.verdict).not.toBe('violated');
    },
  );

  it.each(['fixed-from-first', 'fixed-aligned', 'sliding-log', 'sliding-counter'] as const)(
    'names a %s that counts the list of models before, and one that does not',
    async (algorithm) => {
      const { log } = await examineSimulatedGateway(
        {
          limits: { algorithm, requestsPerMinute: 60, window: 60_000 },
          seed: 3,
          roundTrip: [10, 60],
          service: [5, 40],
        },
        declared,
        quick,
      );
      const namesIn = (changed: LimitLog): readonly (string | undefined)[] => {
        const { best, ties } = nameLimiter(changed);
        return [best, ...ties].map((fit) => fit?.limiter);
      };
      // The first chat stands for a list that was counted and is no part of the replies.
      const [first, ...replies] = log.replies;
      expect(namesIn({ ...log, replies })).not.toContain(algorithm);
      expect(namesIn({ ...log, replies, listed: first! })).toContain(algorithm);
      const uncounted = { sent: instant(first!.sent - 50), answered: instant(first!.sent - 10) };
      expect(namesIn({ ...log, listed: uncounted })).toContain(algorithm);
    },
  );

  it.each([null, 75, 120, 600])(
    'sends fewer than 150 requests to a gateway that admits %d',
    async (requestsPerMinute) => {
      const limits = { requestsPerMinute, window: 60_000 };
      const simulation = { limits, seed: 1, roundTrip: [10, 60] } as const;
      const { log } = await examineSimulatedGateway(simulation, declared, quick);
      expect(log.replies.length).toBeLessThan(promised);
      expect(log.cut).toBeNull();
    },
  );
});
