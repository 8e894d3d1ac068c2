// @long 10 s
import { describe, expect, it } from 'vitest';
import { burstSize } from '../../verbs/limits/experiment/overload.ts';
import { milliseconds } from '../../model/quantity.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

const declared = { requests: 60, window: 60_000 };
const gateway = { seed: 3, roundTrip: [10, 60] as const, service: [5, 40] as const };

describe('an examination', () => {
  it('proves a limit of 59 that the headers name too, which the fit alone is too close to show', async () => {
    const limits = { algorithm: 'sliding-log', requestsPerMinute: 59, window: 60_000 } as const;
    const { judgement } = await examineSimulatedGateway({ ...gateway, limits }, declared);
    const fitted = judgement.checks.find(({ id }) => id === 'limit-fitted');
    expect(fitted).toMatchObject({ finding: 'refuted', violates: true });
    expect(judgement.verdict).toBe('violated');
  });

  it('names no limiter where a limit of tokens refused, too', async () => {
    const limits = { requestsPerMinute: 60, tokensPerMinute: 150, window: 60_000 };
    const { judgement } = await examineSimulatedGateway(
      { ...gateway, limits },
      { ...declared, tokens: 150 },
    );
    expect(judgement.identification.best).toBeNull();
    expect(judgement.tokens.reasons.join()).toMatch(/requests were refused for tokens/);
  });

  it('finds a penalty of three windows, which every refusal starts', async () => {
    const place = foreignLimiters.findIndex(({ name }) => /express-rate-limit/.test(name));
    const cell = { limiter: place, fault: null, limit: 20, window: 10_000, seed: 5 };
    const { simulation } = simulationOf(cell);
    let blockedUntil = 0;
    const openGate: typeof simulation.openGate = (setting) => {
      const gate = simulation.openGate(setting);
      return (request) => {
        const decision = gate(request);
        const isBlocked = request.now < blockedUntil;
        if (isBlocked || !decision.admitted) blockedUntil = request.now + 30_000;
        return isBlocked ? { ...decision, admitted: false } : decision;
      };
    };
    const { judgement } = await examineForeignGateway({ ...simulation, openGate });
    expect(judgement.verdict).toBe('violated');
    const idle = judgement.checks.find(({ id }) => id === 'idle-admitted');
    expect(idle).toMatchObject({ finding: 'refuted' });
  });
});

it('a burst at once grows with the time of answers, up to twice the limit', () => {
  const rule = { limit: 60, window: milliseconds(10_000) };
  expect(burstSize(rule, 0)).toBe(77);
  expect(burstSize(rule, 900)).toBe(88);
  expect(burstSize(rule, 60_000)).toBe(136);
  expect(burstSize({ ...rule, limit: 4 }, 0)).toBe(12);
});
