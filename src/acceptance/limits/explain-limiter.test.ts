import { describe, expect, it } from 'vitest';
import { decisionsToReplay } from '../../judge/limits/examination/limiter-decisions.ts';
import { explainLimiter } from '../../judge/limits/examination/name-limiter.ts';
import { distinguishLimiters } from '../../judge/limits/limiter/identify-limiter.ts';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import type { DistinguishingDecision } from '../../model/limits/limiter-fit.ts';
import type { LimiterDecision } from '../../model/limits/limit-log.ts';
import { compliantSimulation } from './compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

/** How often each of the two is wrong, less what both have in common. */
const mistakesIn = (decisions: readonly DistinguishingDecision[]) => ({
  named: decisions.filter(({ named, observed }) => named !== observed).length,
  rival: decisions.filter(({ rival, observed }) => rival !== observed).length,
});

const checkExplanation = ({
  log,
  judgement,
}: Awaited<ReturnType<typeof examineSimulatedGateway>>): readonly DistinguishingDecision[] => {
  const { identification } = judgement;
  const { rival, distinguishing } = explainLimiter(log, identification);
  const mistakes = mistakesIn(distinguishing);
  expect(rival).not.toBeNull();
  expect(mistakes.rival - mistakes.named).toBe(rival!.wrong - identification.best!.wrong);
  expect(mistakes.rival).toBeGreaterThan(0);
  for (const { requestId, observed, named, rival: other } of distinguishing) {
    const reply = log.replies.find((each) => each.requestId === requestId)!;
    expect(observed === 'refused').toBe(!reply.admitted);
    expect(named).not.toBe(other);
    expect([named, other]).toContain(observed);
  }
  return distinguishing;
};

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
