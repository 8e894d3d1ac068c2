import { millisecondsUntil } from '../platform/host/clock.ts';
import { Problem } from '../platform/problem.ts';
import { pause } from '../platform/process/pause.ts';
import { timeText } from '../report/text/number-text.ts';
import { StoppedBeforeLoad } from './input/follow-stops.ts';
import type { OnStop, StopCause } from './input/host.ts';

/** An absolute start: machines that begin at one instant send what one machine would have sent. */

/** Everything but connections and workers is open this long before; these follow in the meantime, in ms. */
const openingTime = 5000;

/** Nobody waits longer for a start, in ms; a clock that is wrong by a year is found at once. */
const maxWait = 24 * 3_600_000;

const nameOf = (at: number): string => new Date(at).toISOString();

/** Throws a `Problem` for a start that has passed, or is more than a day away. */
export const assertStartAhead = (at: number | undefined): void => {
  if (at === undefined) return;
  const left = millisecondsUntil(at);
  if (left > 0 && left <= maxWait) return;
  throw new Problem(
    left > 0
      ? `--start-at: ${nameOf(at)} is more than a day away (${timeText(left)}) by this machine’s clock: give a nearer one`
      : `--start-at: ${nameOf(at)} was ${timeText(-left)} ago by this machine’s clock, and a late load is not the planned one: give a later instant`,
  );
};

/** Waits until shortly before the start. Throws `StoppedBeforeLoad` at a stop. */
export const waitForStart = async (
  at: number | undefined,
  onStop: OnStop,
  say: (text: string) => void,
): Promise<void> => {
  if (at === undefined) return;
  const left = millisecondsUntil(at);
  if (left <= 0) return;
  say(`Everything is ready; the load begins at ${nameOf(at)}, in ${timeText(left)}.`);
  const stoppedBy = await pause<StopCause>(Math.max(0, left - openingTime), onStop);
  if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
};

/** How long before its zero the clock starts, in ms, at least `least`. Throws a `Problem` where the start is nearer than that. */
export const leadTo = (at: number | undefined, least: number): number => {
  if (at === undefined) return least;
  const left = millisecondsUntil(at);
  if (left >= least) return left;
  throw new Problem(
    `--start-at: this machine was not ready at ${nameOf(at)}, but ${timeText(least - left)} late; nothing was sent. Give a later instant`,
  );
};
