import { judgeLimits } from '../judge/limits/judge-limits.ts';
import {
  limiterClassNames,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../model/limit-log.ts';
import type { LimitJudgement } from '../model/limit-report.ts';
import { milliseconds } from '../model/quantity.ts';
import { budgetOf } from '../probe/budget.ts';
import { examineKey } from '../probe/examine-key.ts';
import { questionerOf } from '../probe/questioner.ts';
import { type Simulation, simulateGateway } from './simulated-gateway.ts';

const phases = Object.keys(probePhases) as readonly ProbePhase[];

/** Examines a simulated gateway as `weir limits` does and judges it by what it declares. */
export const examineSimulated = async (
  simulation: Simulation,
  declared: { readonly requests: number; readonly tokens?: number; readonly window: number },
  only: readonly ProbePhase[] = phases,
): Promise<{ readonly log: LimitLog; readonly judgement: LimitJudgement }> => {
  const gateway = simulateGateway(simulation);
  const questioner = questionerOf({
    way: {
      ...{ transport: gateway.transport, clock: gateway.clock, wallZero: gateway.wallZero },
      ...{ headers: {}, redact: (text) => text, patience: 2 * declared.window },
    },
    sleepUntil: gateway.sleepUntil,
    subject: {
      chat: 'weir/small',
      speech: 'weir-tts',
      transcription: 'weir/whisper',
      models: [],
      voice: 'a.wav',
    },
    credentials: { first: 'sk-first', second: 'sk-second' },
    runId: 'probe',
  });
  const rule = { limit: declared.requests, window: milliseconds(declared.window) };
  const log = await gateway.run(
    examineKey(questioner, {
      declared: {
        requests: rule,
        tokens: { ...rule, limit: declared.tokens ?? 2_000_000 },
        permitted: limiterClassNames,
      },
      phases: only,
      hasSecondKey: true,
      cap: budgetOf(only, rule, true, null).most,
      stopped: () => null,
      begins: () => undefined,
    }),
  );
  return { log, judgement: judgeLimits(log) };
};
