import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeclaredLimits,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../../model/limits/limit-log.ts';
import { redactor } from '../../model/plan/secret.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { onInterrupt, type StopSignal } from '../../platform/process/interrupts.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { type ProbeSession, openProbeClient } from '../../probe/send-probe-request.ts';
import { examineKey } from '../../probe/examine-key.ts';
import { findProbeModels } from '../../probe/find-probe-models.ts';
import { phaseBudget } from '../../probe/probe-budget.ts';
import type { ProbeModels } from '../../probe/probe-requests.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';

/** An open way to a target, and whom to ask there. */
export interface OpenedProbe {
  readonly session: ProbeSession;
  readonly startedAt: string;
  readonly models: ProbeModels;
  readonly keys: { readonly first: string; readonly second: string | null };
  readonly close: () => Promise<void>;
}

/** How long one answer may take: a queue may hold a request for more than a window. */
const timeoutFor = (window: number): number => 2 * window + 30_000;

/** Opens the way and reads the model list. Throws a `Problem` when there is nothing to ask. */
export const openProbe = async (
  target: ReadyTarget,
  window: number,
  model: string | undefined,
): Promise<OpenedProbe> => {
  const startedAt = wallClock();
  const clock = startClock();
  const { baseUrl, wire, certificates, credentials } = target;
  const transport = undiciTransport({ url: baseUrl, wire, certificates }, clock);
  const values = credentials.map(({ value }) => value);
  const [first = '', second = null] = values;
  const session: ProbeSession = {
    transport,
    clock,
    wallZero: Date.parse(startedAt),
    headers: { 'user-agent': `weir/${weirVersion()}`, ...target.headers },
    redact: redactor([...target.secrets, ...values]),
    timeoutFor: timeoutFor(window),
  };
  const models = await findProbeModels(session, first, model);
  if (typeof models === 'string') {
    await transport.close();
    throw new Problem(`${baseUrl}: ${models}`);
  }
  return { session, startedAt, models, keys: { first, second }, close: () => transport.close() };
};

export interface CompletedExamination {
  readonly log: LimitLog;
  /** How long it took, in ms, the reading of the budget included. */
  readonly duration: number;
  readonly signal: StopSignal | null;
}

/** Examines the first key, tells what it is about, and ends early at a stop signal. */
export const examine = async (
  { session, startedAt, models, keys }: OpenedProbe,
  options: {
    readonly declared: DeclaredLimits;
    readonly phases: readonly ProbePhase[];
    readonly maxRequests: number;
  },
  say: (text: string) => void,
): Promise<CompletedExamination> => {
  const { declared } = options;
  const { clock } = session;
  const hasSecondKey = keys.second !== null;
  let signal: StopSignal | null = null;
  const release = onInterrupt((stop) => {
    signal ??= stop;
    say('stopping: what was seen so far is judged');
  });
  const client = openProbeClient({
    session,
    models,
    credentials: keys,
    sleepUntil: async (moment) => {
      await sleep(Math.max(0, moment - clock.now()));
    },
    runId: `limits-${startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14)}`,
  });
  const begun = clock.now();
  try {
    const log = await examineKey(client, {
      ...options,
      hasSecondKey,
      stopReason: () => (signal === null ? null : `stopped by ${signal}`),
      onPhaseStart: (phase) => {
        const { usual, time } = phaseBudget(phase, declared.requests, hasSecondKey);
        const long = time < 1000 ? '' : ` in ${timeText(time)}`;
        say(`${phase}: ${probePhases[phase]}; about ${countText(usual)} requests${long}`);
      },
    });
    return { log, signal, duration: clock.now() - begun };
  } finally {
    release();
  }
};
