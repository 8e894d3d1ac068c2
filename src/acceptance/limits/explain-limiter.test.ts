import { describe, expect, it } from 'vitest';
import { decisionsToReplay } from '../../judge/limits/examination/limiter-decisions.ts';
import { explainLimiter } from '../../judge/limits/examination/name-limiter.ts';
import { distinguishLimiters } from '../../judge/limits/limiter/identify-limiter.ts';
import type { LimiterDecision } from '../../model/limits/limit-log.ts';
import { checkExplanation } from './check-explanation.fixture.ts';
import { compliantSimulation } from './compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/** The requests that can have been admitted within a window before a decision, and those that certainly were. */
const admittedBefore = (
  log: readonly LimiterDecision[],
  decision: LimiterDecision,
  window: number,
) => {
  const others = log.filter((each) => each.admitted && each !== decision);
  const { sent, answered } = decision;
  return {
    most: others.filter((each) => each.ended > sent - window && each.sent < answered).length,
    least: others.filter((each) => each.sent > answered - window && each.ended < sent).length,
  };
};

describe('the explanation of a limiter’s name', () => {
  it('has the answers that a leaky queue delayed', async () => {
    const { simulation, declared } = compliantSimulation('leaky-queue', 0);
    const examination = await examineSimulatedGateway(simulation, declared);
    const actions = checkExplanation(examination).map(({ observed }) => observed);
    expect(actions).toContain('delayed');
  });

  it('names only decisions that a sliding log certainly contradicts', async () => {
    const { simulation, declared } = compliantSimulation('fixed-from-first', 3);
    const { log } = await examineSimulatedGateway(simulation, declared);
    const decisions = decisionsToReplay(log);
    const terms = { declared: log.declared.requests, minute: null, earlier: null };
    const distinguishing = distinguishLimiters(decisions, terms, [
      'fixed-from-first',
      'sliding-log',
    ]);
    expect(distinguishing.length).toBeGreaterThan(5);
    for (const { index, observed, predicted } of distinguishing) {
      const [named, other] = predicted;
      expect(named).toBe(observed);
      const { most, least } = admittedBefore(decisions, decisions[index]!, declared.window);
      if (other === 'refused') expect(most).toBeGreaterThanOrEqual(declared.requests);
      else expect(least).toBeLessThan(declared.requests);
    }
  });

  it('has no decisions where no class is named', async () => {
    const { log, judgement } = await examineSimulatedGateway(
      { limits: { requestsPerMinute: null }, seed: 1, roundTrip: [5, 40] },
      { requests: 12, window: 4000 },
    );
    expect(judgement.identification.best).toBeNull();
    const explanation = explainLimiter(log, judgement.identification);
    expect(explanation).toStrictEqual({ rival: null, distinguishing: [] });
  });
});
