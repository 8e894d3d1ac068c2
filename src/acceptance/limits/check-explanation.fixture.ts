import { expect } from 'vitest';
import { explainLimiter } from '../../verbs/limits/judge/name-limiter.ts';
import type { DistinguishingDecision } from '../../model/limits/limiter-fit.ts';
import type { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/** How often each of the two is wrong, less what both have in common. */
const mistakesIn = (decisions: readonly DistinguishingDecision[]) => ({
  named: decisions.filter(({ named, observed }) => named !== observed).length,
  rival: decisions.filter(({ rival, observed }) => rival !== observed).length,
});

/** Checks the explanation of an examination's name: its decisions account for the difference to the next class. */
export const checkExplanation = ({
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
