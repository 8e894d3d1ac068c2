import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { examineTokens } from '../../verbs/limits/experiment/tokens/examine-tokens.ts';
import { openTokenClient } from '../../verbs/limits/experiment/tokens/send-token-request.ts';
import { tokenBudget } from '../../verbs/limits/experiment/tokens/token-budget.ts';
import { planTokens } from '../../verbs/limits/experiment/tokens/token-plan.ts';
import type { TokenUnit } from '../../verbs/limits/model/token-units.ts';
import { judgeTokenLog } from '../../verbs/limits/judge/tokens/judge-tokens.ts';
import { openSimulatedGateway } from '../harness/simulated-gateway.fixture.ts';
import { simulatedSession } from '../harness/simulated-session.fixture.ts';

/** The limits that are declared. */
export const tokenRule = { tokens: 20_000, requests: 60, window: 60_000 };

interface Terms {
  readonly unit?: TokenUnit;
  /** Whether two keys are used in turn, and whether they share the limit. */
  readonly team?: 'shared' | 'apart';
  readonly isPromised?: boolean;
}

/** Examines the limit of tokens of the reference gateway as the command does, in simulated time. */
export const examineMockTokens = async (
  limits: NonNullable<SettingsInput['limits']>,
  { unit, team, isPromised = false }: Terms = {},
) => {
  const gateway = openSimulatedGateway({
    isSharedLimit: team === 'shared',
    limits: {
      requestsPerMinute: tokenRule.requests,
      tokensPerMinute: tokenRule.tokens,
      window: milliseconds(tokenRule.window),
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
  const counts = unit === undefined ? {} : { unit };
  const plan = planTokens({
    rule: tokenRule,
    ...counts,
    context: null,
    isQuick: false,
    sustain: 0,
    hasOtherModel: true,
    hasAudio: false,
  });
  if (typeof plan === 'string') throw new Error(plan);
  const budget = tokenBudget(plan, null);
  const client = openTokenClient({
    session: simulatedSession(gateway, 2 * tokenRule.window),
    sleepUntil: gateway.sleepUntil as (moment: number) => Promise<void>,
    models,
    credential: 'sk-first',
    ...counts,
    ...(team === undefined ? {} : { team: 'sk-second' }),
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
  return { log, findings: judgeTokenLog(log, { isPromised }) };
};
