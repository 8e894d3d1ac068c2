import { type LimitLog, probePhases } from '../../model/limits/limit-log.ts';
import { redactor } from '../../model/plan/secret.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { sleep } from '../../platform/process/pause.ts';
import type { Host, StopCause } from '../input/host.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { type ProbeSession, openProbeClient } from '../../probe/send-probe-request.ts';
import { examineKey } from '../../probe/examine-key.ts';
import { findProbeModels } from '../../probe/find-probe-models.ts';
import { phaseBudget } from '../../probe/probe-budget.ts';
import type { ProbeModels } from '../../probe/probe-requests.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import type { ReadyTarget } from '../target/prepare-target.ts';
import type { ExaminationSettings } from './limits-request.ts';

/** An open connection to a target, with its models and the keys to examine. */
export interface OpenedProbe {
  readonly session: ProbeSession;
  readonly startedAt: string;
  readonly models: ProbeModels;
  readonly keys: { readonly first: string; readonly second: string | null };
  readonly close: () => Promise<void>;
}

/** Opens the connection and reads the model list. Throws a `Problem` when there is no usable model. */
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
    // In ms: a queue may delay a request by more than a window.
    timeoutFor: 2 * window + 30_000,
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
  /** Its length in ms. */
  readonly duration: number;
  readonly stoppedBy: StopCause | null;
}

/** Examines the first key, reports progress, and ends early if stopped. */
export const examine = async (
  { session, startedAt, models, keys }: OpenedProbe,
  options: Omit<ExaminationSettings, 'price'> & { readonly maxRequests: number },
  { printer: { say }, onStop }: Host,
): Promise<CompletedExamination> => {
  const { clock } = session;
  const hasSecondKey = keys.second !== null;
  let stoppedBy: StopCause | null = null;
  const release = onStop((cause) => {
    stoppedBy ??= cause;
    say('stopping: the replies so far will be judged');
  });
  const client = openProbeClient({
    session,
    models,
    credentials: keys,
    sleepUntil: (moment) => sleep(moment - clock.now()),
    runId: `limits-${startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14)}`,
  });
  const begun = clock.now();
  try {
    const log = await examineKey(client, {
      ...options,
      hasSecondKey,
      stopReason: () => (stoppedBy === null ? null : `stopped by ${stoppedBy}`),
      onPhaseStart: (phase) => {
        const { usual, time } = phaseBudget(phase, options.declared.requests, hasSecondKey);
        const long = time < 1000 ? '' : ` in ${timeText(time)}`;
        say(`${phase}: ${probePhases[phase]}; about ${countText(usual)} requests${long}`);
      },
    });
    return { log, stoppedBy, duration: clock.now() - begun };
  } finally {
    release();
  }
};
