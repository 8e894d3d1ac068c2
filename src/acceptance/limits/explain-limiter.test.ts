// @gate 3 s
import { describe, expect, it } from 'vitest';
import { decisionsToReplay } from '../../verbs/limits/judge/limiter-decisions.ts';
import { explainLimiter } from '../../verbs/limits/judge/name-limiter.ts';
import {
  distinguishLimiters,
  identifyLimiter,
} from '../../judge/limits/limiter/identify-limiter.ts';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import type { LimiterDecision } from '../../model/limits/limit-log.ts';
import { checkExplanation } from './check-explanation.fixture.ts';
import { compliantSimulation } from './compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

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
    const terms = { declared: log.declared.requests, clock: null, besides: [[]] };
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

  it('needs three decisions against a class: with two the log does not distinguish it', async () => {
    const { simulation, declared } = compliantSimulation('sliding-log', 3);
    const { log } = await examineSimulatedGateway(simulation, declared);
    const decisions = decisionsToReplay(log);
    const terms = { declared: log.declared.requests, clock: null, besides: [[]] };
    const classes = ['sliding-log', 'fixed-from-first'] as const;
    const against = distinguishLimiters(decisions, terms, classes).map(({ index }) => index);
    // A refusal changes nothing of what comes after it, so it can be left out.
    const left = against.filter((index) => !decisions[index]!.admitted);
    const tiesWith = (count: number): readonly string[] => {
      const out = new Set(left.slice(count));
      const { best, ties } = identifyLimiter(
        decisions.filter((_, index) => !out.has(index)),
        terms,
      );
      expect(best?.limiter).toBe('sliding-log');
      return ties.map(({ limiter }) => limiter);
    };
    expect(left).toHaveLength(against.length);
    expect([1, 2, 3].map((count) => tiesWith(count).includes('fixed-from-first'))).toEqual([
      true,
      true,
      false,
    ]);
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
