// @long 85 s
import { expect, it } from 'vitest';
import { type ProbePhase, probePhases } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { defaultSustain, probeBudgetFor } from '../../verbs/limits/experiment/request-budget.ts';
import { simulationOf } from './foreign/campaign.fixture.ts';
import { examineForeignGateway } from './foreign/examine-foreign-gateway.fixture.ts';
import { foreignLimiters } from './foreign/foreign-limiters.fixture.ts';

const terms = { limit: 60, window: 60_000 };
const all = Object.keys(probePhases) as readonly ProbePhase[];

const compliant = [...foreignLimiters.entries()]
  .filter(([, { keeps, offers }]) => keeps === 'yes' && (offers?.(terms) ?? true))
  .map(([place]) => place);

/** The tokens of a small chat and its answer: those of the budget, and those of the simulated gateway. */
const tokensOfChat = { budget: 16, simulated: 6 };

it.each([
  ['an examination of requests', all, defaultSustain, true],
  ['one of slow answers', all, defaultSustain, false],
  ['one with --quick', ['provocation'], defaultSustain, true],
  ['one with --sustain 10', all, 10, true],
] as const)(
  '%s uses what it says beforehand, within a tenth in the mean of limiters of others',
  async (_, phases, sustain, isFast) => {
    const rule = { limit: terms.limit, window: milliseconds(terms.window) };
    const budget = probeBudgetFor(phases, { rule, hasSecondKey: true, sustain }, null);
    const shares = { requests: 0, tokens: 0, time: 0 };
    for (const limiter of compliant) {
      const { simulation } = simulationOf({ limiter, fault: null, ...terms, seed: 777 });
      const fast = { roundTrip: 1, jitter: 0, service: [2, 10], pause: 0 } as const;
      const seen = { ...simulation, ...(isFast ? fast : {}) };
      const { log, took } = await examineForeignGateway(seen, phases, sustain);
      const used = log.replies.reduce(
        (sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output),
        0,
      );
      const tokens = (used * tokensOfChat.budget) / tokensOfChat.simulated;
      const sent = log.replies.length + log.unanswered.length;
      expect(sent).toBeLessThanOrEqual(budget.max);
      shares.requests += sent / budget.typical / compliant.length;
      shares.tokens += tokens / budget.tokens.typical / compliant.length;
      shares.time += took / budget.time / compliant.length;
    }
    expect(
      Object.values(shares).every((share) => Math.abs(share - 1) < 0.1),
      JSON.stringify(shares),
    ).toBe(true);
  },
  600_000,
);
