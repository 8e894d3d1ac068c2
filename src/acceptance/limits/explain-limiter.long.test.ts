import { describe, expect, it } from 'vitest';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { checkExplanation } from './check-explanation.fixture.ts';
import { compliantSimulation } from './compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

describe('the explanation of a limiter’s name', () => {
  it.each(mockLimiterClasses)(
    'distinguishes a %s from the next class by what each predicts',
    async (kind) => {
      const { simulation, declared } = compliantSimulation(kind, 0);
      const examination = await examineSimulatedGateway(simulation, declared);
      expect(examination.judgement.identification.best?.limiter).toBe(kind);
      const actions = checkExplanation(examination).map(({ observed }) => observed);
      expect(actions.includes('delayed')).toBe(kind === 'leaky-queue');
    },
  );

  it.each(['express-rate-limit 8', 'rate-limiter-flexible', '@upstash/ratelimit'])(
    'distinguishes the rule of %s from the next class',
    async (name) => {
      const limiter = foreignLimiters.findIndex((each) => each.name.startsWith(name));
      const cell = { limiter, fault: null, limit: 60, window: 60_000, seed: 1 };
      const examination = await examineForeignGateway(simulationOf(cell).simulation);
      expect(checkExplanation(examination).length).toBeGreaterThan(0);
    },
  );
});
