import { hasChatStreams, type Plan } from '../model/plan/plan.ts';
import type { CanaryOptions } from '../platform/canary/canary-streams.ts';
import { startCanaryEmitter } from '../platform/canary/start-canary-emitter.ts';

/** The canary of a run, or the reason why it could not start. */
export interface RunCanary {
  /** The streams that each loop reads; `null` for none. */
  readonly streamOptions: CanaryOptions | null;
  /** Notes for the reader of the report. */
  readonly notes: readonly string[];
  /** Further notes, at the end of the run. */
  readonly endNotes: () => readonly string[];
  readonly stop: () => Promise<void>;
}

const noCanary: RunCanary = {
  streamOptions: null,
  notes: [],
  endNotes: () => [],
  stop: () => Promise.resolve(),
};

/**
 * Streams of one loop, at 20 events a second each: they use 0.5 to 1.6 % of a core in the loop, and 1.5 %
 * in their emitter (two busy virtual cores). Many loops share the streams that one emitter can send on time.
 */
const streamsFor = (loops: number): number => Math.max(1, Math.min(20, Math.floor(160 / loops)));

const remedyFor = (reason: string): string => {
  const switchOff = 'switch the canary off with `canary: false`';
  return reason.includes('EMFILE')
    ? `Raise the limit of open files (\`ulimit -n\`), or ${switchOff}.`
    : `Fix that, or ${switchOff}.`;
};

/**
 * Starts the canary of a run with chat streams, whose timing it checks. Never fails: if it cannot
 * start, a note says so.
 */
export const openCanary = async (plan: Plan, loops: number): Promise<RunCanary> => {
  if (plan.canary !== true || !hasChatStreams(plan)) return noCanary;
  const emitter = await startCanaryEmitter();
  if (typeof emitter === 'string') {
    const note = `No measurement error: the canary’s emitter could not be started (${emitter}). ${remedyFor(emitter)}`;
    return { ...noCanary, notes: [note] };
  }
  const { port, ended, stop } = emitter;
  const streamOptions = { port, streams: streamsFor(loops), transport: plan.transport };
  const endNotes = (): readonly string[] => {
    const exitReason = ended();
    return exitReason === null
      ? []
      : [
          `The canary’s emitter ended during the run (${exitReason}): the measurement error covers the time before that.`,
        ];
  };
  return { streamOptions, notes: [], endNotes, stop };
};
