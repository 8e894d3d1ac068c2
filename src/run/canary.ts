import { type Plan, saturateLoadOf } from '../model/plan/plan.ts';
import { canaryStreamCount } from '../model/result/canary-timing.ts';
import type { CanaryOptions } from '../platform/canary/canary-streams.ts';
import { startCanaryEmitter } from '../platform/canary/start-canary-emitter.ts';

/** The values for a run without self-test streams (the canary). */
const noCanary = {
  streamOptions: null as CanaryOptions | null,
  /**
   * Notes for the reader of the report. `endNotes` returns further notes, which are known only at the end of the run.
   */
  notes: [] as readonly string[],
  endNotes: (): readonly string[] => [],
  /** The id of the process that sends the self-test streams; `null` without self-test streams. */
  pid: null as number | null,
  stop: () => Promise.resolve(),
};

export type RunCanary = Readonly<typeof noCanary>;

/**
 * Returns the number of self-test streams of one event loop. Each stream has 20 events a second, and one emitter can
 * send only a limited number of streams on time. So an event loop gets fewer streams if there are more event loops.
 */
const streamsFor = (loops: number): number =>
  Math.max(1, Math.min(canaryStreamCount, Math.floor(160 / loops)));

/**
 * Starts the self-test streams of a run. A saturating load has none: it keeps its event loop busy on purpose, and its
 * figures are not judged. Never throws: if the streams cannot start, a note says why.
 */
export const openCanary = async (
  plan: Plan,
  loops: number,
  start: () => ReturnType<typeof startCanaryEmitter> = startCanaryEmitter,
): Promise<RunCanary> => {
  if (plan.canary !== true || saturateLoadOf(plan) !== null) return noCanary;
  const emitter = await start();
  if (typeof emitter === 'string') {
    const remedy = emitter.includes('EMFILE')
      ? 'Raise the limit of open files (`ulimit -n`)'
      : 'Fix that';
    const note = `No self-test streams: the canary’s emitter could not be started (${emitter}). ${remedy}, or switch the canary off with \`canary: false\`.`;
    return { ...noCanary, notes: [note] };
  }
  const { port, pid, ended, stop } = emitter;
  const streamOptions = { port, streams: streamsFor(loops), transport: plan.transport };
  const endNotes = (): readonly string[] => {
    const exitReason = ended();
    if (exitReason === null) return [];
    const what = `The canary’s emitter ended during the run (${exitReason})`;
    return [`${what}: nothing shows how late reads were after that.`];
  };
  return { streamOptions, notes: [], endNotes, pid, stop };
};
