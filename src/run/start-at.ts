import { readBeside, wallClockNow } from '../platform/host/clock.ts';
import { Problem } from '../platform/problem.ts';
import { pause } from '../platform/process/pause.ts';
import { timeText } from '../report/text/number-text.ts';
import { StoppedBeforeLoad } from './input/follow-stops.ts';
import type { OnStop, StopCause } from './input/host.ts';
import type { PlannedStart } from './input/planned-start.ts';

/**
 * This file implements a start at a given time. The slices of several machines together form one load only if all
 * machines begin at the same instant.
 */

/** The time before the start at which waiting ends, in ms. In this time, only connections and workers are opened. */
const openingTime = 5000;

/** The maximum wait for a start, in ms. A longer wait shows that a clock is wrong, for example by a year. */
const maxWait = 24 * 3_600_000;

const nameOf = (at: number): string => new Date(at).toISOString();

/** Returns the start that the option `--start-at` names, on this machine's wall clock; `null` without the option. */
export const byWallClock = (at: number | undefined): PlannedStart | null =>
  at === undefined
    ? null
    : { at, now: wallClockNow, name: '--start-at', remedy: 'Give a later instant' };

/** Throws a `Problem` if the start has passed or is more than a day away. */
export const assertStartAhead = (at: number | undefined): void => {
  if (at === undefined) return;
  const left = at - wallClockNow();
  if (left > 0 && left <= maxWait) return;
  throw new Problem(
    left > 0
      ? `--start-at: ${nameOf(at)} is more than a day away (${timeText(left)}) by this machine’s clock: give a nearer one`
      : `--start-at: ${nameOf(at)} was ${timeText(-left)} ago by this machine’s clock, and a late load is not the planned one: give a later instant`,
  );
};

/** Waits until shortly before the start. Throws `StoppedBeforeLoad` if the user stops the run during the wait. */
export const waitForStart = async (
  start: PlannedStart | null,
  onStop: OnStop,
  say: (text: string) => void,
): Promise<void> => {
  if (start === null) return;
  const left = start.at - start.now();
  if (left <= 0) return;
  say(`Everything is ready; the load begins at ${nameOf(start.at)}, in ${timeText(left)}.`);
  const stoppedBy = await pause<StopCause>(Math.max(0, left - openingTime), onStop);
  if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
};

/**
 * Returns instant 0 of a run's clock. `from` and `lead` are the arguments for `startClock`: instant 0 is `lead` ms
 * after `from`, and `lead` is at least `least`. `startedAt` is instant 0 as wall-clock time (ISO 8601). Throws a
 * `Problem` if the start is less than `least` ms away.
 */
export const beginningBy = (
  start: PlannedStart | null | undefined,
  least: number,
): { readonly lead: number; readonly from: number; readonly startedAt: string } => {
  const { time, at } = readBeside(start?.now ?? wallClockNow);
  if (start === null || start === undefined)
    return { lead: least, from: at, startedAt: new Date(time + least).toISOString() };
  const left = start.at - time;
  if (left >= least) return { lead: left, from: at, startedAt: nameOf(start.at) };
  throw new Problem(
    `${start.name}: this machine was not ready at ${nameOf(start.at)}, but ${timeText(least - left)} late; nothing was sent. ${start.remedy}`,
  );
};
