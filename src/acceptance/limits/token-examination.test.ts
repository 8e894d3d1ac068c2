import { describe, expect, it } from 'vitest';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { examineTokens } from '../../verbs/limits/experiment/tokens/examine-tokens.ts';
import { openTokenClient } from '../../verbs/limits/experiment/tokens/send-token-request.ts';
import { planTokens, tokenBudget } from '../../verbs/limits/experiment/tokens/token-plan.ts';
import { judgeTokenLog } from '../../verbs/limits/judge/tokens/judge-tokens.ts';
import { openSimulatedGateway } from '../harness/simulated-gateway.fixture.ts';

const rule = { tokens: 20_000, requests: 60, window: 60_000 };

/** Examines the limit of tokens of the reference gateway as the command does, in simulated time. */
const examineMock = async (limits: NonNullable<SettingsInput['limits']>) => {
  const gateway = openSimulatedGateway({
    limits: {
      requestsPerMinute: rule.requests,
      tokensPerMinute: rule.tokens,
      window: milliseconds(rule.window),
      ...limits,
    },
    seed: 7,
    roundTrip: [20, 60],
    service: [200, 700],
  });
  const models = {
    chat: 'weir/small',
    otherChat: 'weir/large',
    speech: null,
    transcription: null,
    listed: [],
    voice: 'a.wav',
  };
  const plan = planTokens({
    rule,
    context: null,
    isQuick: false,
    sustain: 0,
    hasOtherModel: true,
    hasAudio: false,
  });
  if (typeof plan === 'string') throw new Error(plan);
  const budget = tokenBudget(plan, null);
  const client = openTokenClient({
    session: {
      transport: gateway.transport,
      clock: gateway.clock,
      wallZero: gateway.wallZero,
      headers: {},
      keyHeader: (key) => ({ authorization: `Bearer ${key}` }),
      redact: (text) => text,
      timeoutFor: 2 * rule.window,
    },
    sleepUntil: gateway.sleepUntil as (moment: number) => Promise<void>,
    models,
    credential: 'sk-first',
    runId: 'tokens',
  });
  const log = await gateway.run(
    examineTokens(client, {
      plan,
      budget: { requests: budget.requests.most, tokens: budget.tokens.most },
      stopReason: () => null,
      onPhaseStart: () => undefined,
    }),
  );
  return { log, findings: judgeTokenLog(log, { isPromised: false, isChargedWhenSent: false }) };
};

describe('the reference gateway’s limit of tokens', () => {
  it.each(['fixed-from-first', 'fixed-aligned', 'sliding-log', 'sliding-counter'] as const)(
    'is kept by %s, charged after the answer',
    async (algorithm) => {
      const { findings } = await examineMock({ algorithm });
      expect(findings.reasons).toStrictEqual([
        'both bursts were refused at the limit, an even pace below it never, and the key recovered',
      ]);
    },
  );
});
