import { judgeLimits } from '../../../verbs/limits/judge/judge-limits.ts';
import {
  limiterClassNames,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../../../model/limits/limit-log.ts';
import type { LimitJudgement } from '../../../verbs/limits/model/limit-report.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { examineKey } from '../../../verbs/limits/experiment/examine-key.ts';
import { defaultSustain, probeBudgetFor } from '../../../verbs/limits/experiment/request-budget.ts';
import { openProbeClient } from '../../../verbs/limits/experiment/send-probe-request.ts';
import { type ForeignSimulation, openForeignGateway } from './foreign-gateway.fixture.ts';
import { simulatedSession } from '../../harness/simulated-session.fixture.ts';

const allPhases = Object.keys(probePhases) as readonly ProbePhase[];

export interface ForeignExamination {
  readonly log: LimitLog;
  readonly judgement: LimitJudgement;
  /** By the simulated clock, in ms. */
  readonly took: number;
}

/** Examines a gateway with a limiter of others as `weir limits` does, and judges it by what it promises. */
export const examineForeignGateway = async (
  simulation: ForeignSimulation,
  phases: readonly ProbePhase[] = allPhases,
  sustain = defaultSustain,
): Promise<ForeignExamination> => {
  const { limit, window } = simulation;
  const gateway = openForeignGateway(simulation);
  const client = openProbeClient({
    session: simulatedSession(gateway, 2 * window + 10_000),
    sleepUntil: gateway.sleepUntil,
    models: {
      chat: 'weir/small',
      otherChat: 'weir/large',
      speech: 'weir-tts',
      transcription: 'weir/whisper',
      listed: ['weir/small', 'weir/large'],
      voice: 'a.wav',
    },
    credentials: { first: 'sk-first', second: 'sk-second' },
    runId: 'probe',
  });
  const rule = { limit, window: milliseconds(window) };
  const log = await gateway.run(
    examineKey(client, {
      declared: {
        requests: rule,
        tokens: { ...rule, limit: 2_000_000 },
        permitted: limiterClassNames,
      },
      phases,
      hasSecondKey: true,
      sustain,
      maxRequests: probeBudgetFor(phases, { rule, hasSecondKey: true, sustain }, null).max,
      stopReason: () => null,
      onPhaseStart: () => undefined,
    }),
  );
  return { log, judgement: judgeLimits(log), took: gateway.clock.now() };
};
