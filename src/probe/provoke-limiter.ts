import type { LimitRule } from '../model/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** What an experiment on one key can do: look at the clock, wait, and ask once. */
export interface Asker {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** Sends one small request; resolves to whether it was let in, an answer that never came taken for one that was. */
  ask(): Promise<boolean>;
}

/** Where the server's minute begins, if its clock is known. */
export interface ProbeOrder extends LimitRule {
  readonly minuteBegin: Instant | null;
}

/** The first phase gives up after this many times the limit: no limiter of requests is there. */
const longestRun = 2;

/** Requests beyond the limit that are released together. */
const beyond = 20;

/** A key must have been idle this long before, so that nothing earlier is in any window. */
export const idleTime = ({ window }: LimitRule): number => window + window / 30;

/** How long before the provocation: two counters of adjoining windows remember twice as long. */
export const longIdleTime = ({ window }: LimitRule): number => 2 * window + window / 30;

/** One request now and then: so many in a window. */
const trickles = 24;
/**
 * Where in the server's minute the provocation begins, and how long after it the second half of the limit is sent,
 * in windows: at both moments the edges of steps of any usual number are far.
 */
const beginning = 0.383;
const secondHalf = 0.242;
/** One by one, half a limit must be through in this many windows; where answers come too slowly for that, two are sent at once: more would meet caps in flight. */
const longestHalf = 0.15;
/** How long to wait at most until a request is let in again, and how long the refill is watched, in windows. */
const longestWait = 1.2;
const watched = 1 / 3;

/** At most so many requests by `provokeLimiter`: what a limiter that refuses nothing leads to. */
export const mostProvoked = ({ limit }: LimitRule): number =>
  Math.ceil(limit / 2) +
  2 * longestRun * limit +
  limit +
  Math.ceil(trickles * (longestWait + watched));

/**
 * Provokes the limiter of one idle key so that every class shows itself: half the limit at once,
 * the rest about a quarter of a window later; then one request now and then until one is let through, a
 * burst at that moment, and again one now and then for the speed of the refill. About 2.5 limits of
 * requests and 1.7 windows of time. Begins at its own place in the server's minute where that is known,
 * so that a window on the clock and one from the first request end at different times.
 */
export const provokeLimiter = async (
  asker: Asker,
  { limit, window, minuteBegin }: ProbeOrder,
): Promise<void> => {
  const askUntilRefused = async (most: number, together = 1): Promise<void> => {
    for (let asked = 0; asked < most; asked += together) {
      const round = Array.from({ length: Math.min(together, most - asked) }, () => asker.ask());
      if ((await Promise.all(round)).includes(false)) return;
    }
  };
  const trickle = async (until: number, stop: (admitted: boolean) => boolean): Promise<void> => {
    const apart = window / trickles;
    for (let due = asker.now() + apart; due < until; due += apart) {
      await asker.sleepUntil(instant(due));
      if (stop(await asker.ask())) return;
    }
  };

  const idleUntil = asker.now() + longIdleTime({ limit, window });
  const minute = minuteBegin ?? idleUntil;
  const place = minute + beginning * window;
  const ahead = Math.ceil((idleUntil - place) / window) * window;
  await asker.sleepUntil(instant(minuteBegin === null ? idleUntil : place + ahead));
  const begin = asker.now();
  await asker.ask();
  const trip = asker.now() - begin;
  const half = Math.ceil(limit / 2);
  const together = half * trip > longestHalf * window ? 2 : 1;
  await askUntilRefused(half - 1, together);
  await asker.sleepUntil(instant(begin + secondHalf * window));
  await askUntilRefused(longestRun * limit, together);
  // One window after the refusal every limiter but a locked one has let something through.
  await trickle(asker.now() + longestWait * window, (admitted) => admitted);
  await askUntilRefused(longestRun * limit, together);
  await Promise.all(Array.from({ length: limit }, () => asker.ask()));
  await trickle(asker.now() + window * watched, () => false);
};

export const mostReleased = ({ limit }: LimitRule): number => limit + beyond;

/** Releases more than the limit at once at a key that has been idle: counters that lose updates let too many in. */
export const releaseTogether = async (asker: Asker, rule: LimitRule): Promise<void> => {
  await asker.sleepUntil(instant(asker.now() + idleTime(rule)));
  await Promise.all(Array.from({ length: mostReleased(rule) }, () => asker.ask()));
};
