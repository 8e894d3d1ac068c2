import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeclaredLimits,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../model/limit-log.ts';
import { redactor } from '../model/secret.ts';
import { startClock, wallClock } from '../platform/clock.ts';
import { onInterrupt, type StopSignal } from '../platform/interrupts.ts';
import { weirVersion } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import { undiciTransport } from '../platform/undici-transport.ts';
import type { Way } from '../probe/ask.ts';
import { examineKey } from '../probe/examine-key.ts';
import { findSubject } from '../probe/find-subject.ts';
import { phaseBudget } from '../probe/phase-budget.ts';
import { questionerOf } from '../probe/questioner.ts';
import type { Subject } from '../probe/questions.ts';
import { countText, timeText } from '../report/number-text.ts';
import type { ReadyTarget } from './target.ts';

/** An open way to a target, and whom to ask there. */
export interface OpenWay {
  readonly way: Way;
  readonly startedAt: string;
  readonly subject: Subject;
  readonly keys: { readonly first: string; readonly second: string | null };
  readonly close: () => Promise<void>;
}

/** How long one answer may take: a queue may hold a request for more than a window. */
const patience = (window: number): number => 2 * window + 30_000;

/** Opens the way and reads the model list. Throws a `Problem` when there is nothing to ask. */
export const openWay = async (
  target: ReadyTarget,
  window: number,
  model: string | undefined,
): Promise<OpenWay> => {
  const startedAt = wallClock();
  const clock = startClock();
  const { baseUrl, wire, certificates, credentials } = target;
  const transport = undiciTransport({ url: baseUrl, wire, certificates }, clock);
  const values = credentials.map(({ value }) => value);
  const [first = '', second = null] = values;
  const way: Way = {
    ...{ transport, clock, wallZero: Date.parse(startedAt) },
    headers: { 'user-agent': `weir/${weirVersion()}`, ...target.headers },
    redact: redactor([...target.secrets, ...values]),
    patience: patience(window),
  };
  const subject = await findSubject(way, first, model);
  if (typeof subject === 'string') {
    await transport.close();
    throw new Problem(`${baseUrl}: ${subject}`);
  }
  return { way, startedAt, subject, keys: { first, second }, close: () => transport.close() };
};

export interface Examined {
  readonly log: LimitLog;
  /** How long it took, in ms, the reading of the budget included. */
  readonly took: number;
  readonly signal: StopSignal | null;
}

/** Examines the first key, tells what it is about, and ends early at a stop signal. */
export const examine = async (
  { way, startedAt, subject, keys }: OpenWay,
  order: {
    readonly declared: DeclaredLimits;
    readonly phases: readonly ProbePhase[];
    readonly cap: number;
  },
  say: (text: string) => void,
): Promise<Examined> => {
  const { declared } = order;
  const { clock } = way;
  const hasSecondKey = keys.second !== null;
  let signal: StopSignal | null = null;
  const release = onInterrupt((stop) => {
    signal ??= stop;
    say('stopping: what was seen so far is judged');
  });
  const questioner = questionerOf({
    ...{ way, subject, credentials: keys },
    sleepUntil: async (moment) => {
      await sleep(Math.max(0, moment - clock.now()));
    },
    runId: `limits-${startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14)}`,
  });
  const begun = clock.now();
  try {
    const log = await examineKey(questioner, {
      ...{ ...order, hasSecondKey },
      stopped: () => (signal === null ? null : `stopped by ${signal}`),
      begins: (phase) => {
        const { usual, time } = phaseBudget(phase, declared.requests, hasSecondKey);
        const long = time < 1000 ? '' : ` in ${timeText(time)}`;
        say(`${phase}: ${probePhases[phase]}; about ${countText(usual)} requests${long}`);
      },
    });
    return { log, signal, took: clock.now() - begun };
  } finally {
    release();
  }
};
