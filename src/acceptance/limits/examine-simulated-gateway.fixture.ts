import { judgeLimits } from '../../verbs/limits/judge/judge-limits.ts';
import {
  limiterClassNames,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../../model/limits/limit-log.ts';
import type { LimitJudgement } from '../../verbs/limits/model/limit-report.ts';
import { milliseconds } from '../../model/quantity.ts';
import { defaultSustain, probeBudgetFor } from '../../verbs/limits/experiment/request-budget.ts';
import { examineKey } from '../../verbs/limits/experiment/examine-key.ts';
import { openProbeClient } from '../../verbs/limits/experiment/send-probe-request.ts';
import {
  type GatewaySimulation,
  openSimulatedGateway,
} from '../harness/simulated-gateway.fixture.ts';
import { simulatedSession } from '../harness/simulated-session.fixture.ts';

const phases = Object.keys(probePhases) as readonly ProbePhase[];

/** Examines a simulated gateway as `weir limits` does and judges it by what it declares. */
export const examineSimulatedGateway = async (
  simulation: GatewaySimulation,
  declared: { readonly requests: number; readonly tokens?: number; readonly window: number },
  only: readonly ProbePhase[] = phases,
  { sustain = defaultSustain, isTeam = false } = {},
): Promise<{ readonly log: LimitLog; readonly judgement: LimitJudgement }> => {
  const gateway = openSimulatedGateway(simulation);
  const client = openProbeClient({
    session: simulatedSession(gateway, 2 * declared.window),
    sleepUntil: gateway.sleepUntil,
    models: {
      chat: 'weir/small',
      otherChat: 'weir/large',
      speech: 'weir-tts',
      transcription: 'weir/whisper',
      listed: [],
      voice: 'a.wav',
    },
    credentials: { first: 'sk-first', second: isTeam ? null : 'sk-second' },
    ...(isTeam ? { team: 'sk-second' } : {}),
    runId: 'probe',
  });
  const rule = { limit: declared.requests, window: milliseconds(declared.window) };
  const log = await gateway.run(
    examineKey(client, {
      declared: {
        requests: rule,
        tokens: { ...rule, limit: declared.tokens ?? 2_000_000 },
        permitted: limiterClassNames,
      },
      phases: only,
      hasSecondKey: !isTeam,
      sustain,
      maxRequests: probeBudgetFor(only, { rule, hasSecondKey: true, sustain }, null).max,
      stopReason: () => null,
      onPhaseStart: () => undefined,
    }),
  );
  return { log, judgement: judgeLimits(log) };
};
