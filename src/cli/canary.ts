import { hasChatStreams, type Plan } from '../model/plan.ts';
import type { CanaryWay } from '../platform/canary/canary-streams.ts';
import { startEmitter } from '../platform/canary/start-emitter.ts';

/** The canary of a run, or why it has none although it should. */
export interface Canary {
  /** How each loop reads it. */
  readonly way: CanaryWay | null;
  /** What the reader of a report must know of it. */
  readonly notes: readonly string[];
  readonly stop: () => Promise<void>;
}

const noCanary: Canary = { way: null, notes: [], stop: () => Promise.resolve() };

/**
 * Streams of one loop, at 20 events a second each: they take 0.5 to 1.6 % of a core in the loop, and 1.5 %
 * in their emitter (two busy virtual cores). Many loops share what one emitter can send punctually.
 */
const streamsFor = (loops: number): number => Math.max(1, Math.min(20, Math.floor(160 / loops)));

/** Of a program's last words the line that says what is wrong. */
const gist = (words: string): string =>
  words.split('\n').find((line) => /error/i.test(line)) ?? words;

/**
 * Starts the canary that a plan's run has beside it: chat streams are what it vouches for, and a load that
 * runs flat out has none. Never fails: a run without one says so.
 */
export const openCanary = async (plan: Plan, loops: number): Promise<Canary> => {
  if (plan.canary !== true || !hasChatStreams(plan)) return noCanary;
  const emitter = await startEmitter();
  if (typeof emitter === 'string') {
    return { ...noCanary, notes: [`The canary’s emitter could not be started: ${gist(emitter)}`] };
  }
  const { port, stop } = emitter;
  const way = { port, streams: streamsFor(loops), transport: plan.transport };
  return { way, notes: [], stop };
};
