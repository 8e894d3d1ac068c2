import type { Decision, LimitRule } from '../model/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** What an experiment on one key can do: look at the clock, wait, and ask once. */
export interface Asker {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** Sends one small request and tells how it was decided on; throws when there is no answer to judge. */
  ask(): Promise<Decision>;
}

/** Where the server's minute begins, if its clock is known. */
export interface ProbeOrder extends LimitRule {
  readonly minuteBegin: Instant | null;
}

/** The first phase gives up after this many times the limit: no limiter of requests is there. */
const longestRun = 2;

/** A key must have been idle this long before, so that nothing earlier is in any window. */
export const idleTime = ({ window }: LimitRule): number => window + window / 30;

/**
 * Provokes the limiter of one idle key so that every class shows itself: half the limit at once,
 * the rest a quarter of a window later; then one request now and then until one is let through, a
 * burst at that moment, and again one now and then for the speed of the refill. About 2.5 limits of
 * requests and 1.7 windows of time. Begins a third into the server's minute where that is known, so
 * that a window on the clock and one from the first request end at different times.
 */
export const provokeLimiter = async (
  asker: Asker,
  { limit, window, minuteBegin }: ProbeOrder,
): Promise<readonly Decision[]> => {
  const log: Decision[] = [];
  const ask = async (): Promise<Decision> => {
    const decision = await asker.ask();
    log.push(decision);
    return decision;
  };
  const askUntilRefused = async (most: number): Promise<void> => {
    for (let asked = 0; asked < most; asked += 1) if (!(await ask()).admitted) return;
  };
  const trickle = async (until: number, stop: (decision: Decision) => boolean): Promise<void> => {
    const apart = window / 24;
    for (let due = asker.now() + apart; due < until; due += apart) {
      await asker.sleepUntil(instant(due));
      if (stop(await ask())) return;
    }
  };

  const idleUntil = asker.now() + idleTime({ limit, window });
  const minute = minuteBegin ?? idleUntil;
  const ahead = Math.ceil((idleUntil - minute - window / 3) / window) * window;
  await asker.sleepUntil(instant(minuteBegin === null ? idleUntil : minute + ahead + window / 3));
  const begin = asker.now();
  await askUntilRefused(Math.ceil(limit / 2));
  await asker.sleepUntil(instant(begin + window / 4));
  await askUntilRefused(longestRun * limit);
  // One window after the refusal every limiter but a locked one has let something through.
  await trickle(asker.now() + 1.2 * window, ({ admitted }) => admitted);
  await askUntilRefused(longestRun * limit);
  await Promise.all(Array.from({ length: limit }, ask));
  await trickle(asker.now() + window / 3, () => false);
  return log;
};
