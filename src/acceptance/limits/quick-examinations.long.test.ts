import { describe, expect, it } from 'vitest';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

const terms = { limit: 60, window: 60_000 };

const compliant = [...foreignLimiters.entries()].filter(
  ([, { keeps, offers }]) => keeps === 'yes' && (offers?.(terms) ?? true),
);

describe('an examination with --quick of 60 requests in 60 s', () => {
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
