import { probePhases } from '../../model/limits/limit-log.ts';
import { keyHeader } from '../../model/plan/key-header.ts';
import { redactor } from '../../model/plan/secret.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { sleep } from '../../platform/process/pause.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { type ProbeSession, openProbeClient } from './experiment/send-probe-request.ts';
import { examineKey, type ExaminationOptions } from './experiment/examine-key.ts';
import { findProbeModels, listedModels } from './experiment/find-probe-models.ts';
import { phaseBudget } from './experiment/probe-budget.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';

/** Connects to a target and reads its model list. Throws a `Problem` if there is no usable model. */
export const openProbe = async (target: ReadyTarget, window: number, model: string | undefined) => {
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
    keyHeader: (key) => keyHeader(target.auth, key),
    redact: redactor([...target.secrets, ...values]),
    // The timeout is in ms. A queue may delay a request by more than a window.
    timeoutFor: 2 * window + 30_000,
  };
  const sent = clock.now();
  // If the model is named, a list that failed is not requested again.
  const unlisted = target.listing === 'answered' ? null : listedModels('', model);
  const models = unlisted ?? (await findProbeModels(session, first, model));
  const listed = { sent, answered: clock.now() };
  if (typeof models === 'string') {
    await transport.close();
    throw new Problem(`${baseUrl}: ${models}`);
  }
  const keys = { first, second };
  return { session, startedAt, models, listed, keys, close: () => transport.close() };
};

export type OpenedProbe = Awaited<ReturnType<typeof openProbe>>;

/** Examines the first key, reports progress, and ends early if stopped; `duration` is in ms. */
export const examine = async (
  { session, startedAt, models, listed, keys }: OpenedProbe,
  options: Pick<ExaminationOptions, 'declared' | 'phases' | 'sustain' | 'maxRequests'>,
  { printer: { say }, onStop }: Host,
) => {
  const { clock } = session;
  const hasSecondKey = keys.second !== null;
  let stoppedBy = null as StopCause | null;
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
      listed,
      stopReason: () => (stoppedBy === null ? null : `stopped by ${stoppedBy}`),
      onPhaseStart: (phase) => {
        const { usual, time } = phaseBudget(phase, {
          rule: options.declared.requests,
          hasSecondKey,
          sustain: options.sustain,
          phases: options.phases,
        });
        const long = time < 1000 ? '' : ` in ${timeText(time)}`;
        say(`${phase}: ${probePhases[phase]}; about ${countText(usual)} requests${long}`);
      },
    });
    return { log, stoppedBy, duration: clock.now() - begun };
  } finally {
    release();
  }
};
