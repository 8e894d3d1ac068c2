import { type MockClock, once } from './mock-clock.ts';
import { TimerWheel } from './timer-wheel.ts';

/** setTimeout takes no longer delay; a later deadline is reached in several steps. */
const longestDelay = 2 ** 31 - 1;

/** What is nearer than this, in ms, is waited for in naps: a timer of the event loop counts whole milliseconds. */
const napThreshold = 2;

/** The longest nap, in ms; a request that comes in its midst waits for its end. */
const longestNap = 0.5;

/** What waits for the end of the loop's turn; the loop belongs to the thread, so one queue serves every clock in it. */
let endOfTurnQueue: (() => void)[] = [];

const runEndOfTurnQueue = (): void => {
  const all = endOfTurnQueue;
  endOfTurnQueue = [];
  for (const run of all) run();
};

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Gives the CPU away for so many milliseconds; nothing ever wakes the cell. */
const nap = (milliseconds: number): void => void Atomics.wait(cell, 0, 0, milliseconds);

/** Calls `wake` after so many milliseconds, to a tenth, and looks at the sockets after each nap. */
const wakeAfterNaps = (milliseconds: number, wake: () => void): (() => void) => {
  const due = performance.now() + milliseconds;
  const poll = (): void => {
    // A nap is no part of any turn.
    runEndOfTurnQueue();
    const left = due - performance.now();
    if (left <= 0) {
      wake();
      return;
    }
    nap(Math.min(left, longestNap));
    immediate = setImmediate(poll);
  };
  let immediate = setImmediate(poll);
  return () => clearImmediate(immediate);
};

/**
 * Calls `wake` after so many milliseconds or earlier: a longer wait ends a little before its time, so
 * that who asks again is woken to a tenth of a millisecond.
 */
const wakeAfter = (milliseconds: number, wake: () => void): (() => void) => {
  const wakeFully = (): void => {
    wake();
    // What a deadline brought waits for no request that has come meanwhile.
    runEndOfTurnQueue();
  };
  if (milliseconds < napThreshold) return wakeAfterNaps(milliseconds, wakeFully);
  const timer = setTimeout(
    wakeFully,
    Math.min(longestDelay, Math.floor(milliseconds - napThreshold / 2)),
  );
  return () => clearTimeout(timer);
};

/**
 * The machine's clock. Its monotonic scale is the system's own (`process.hrtime`), so that instants
 * of this process and of a client on the same machine can be compared.
 */
export const realClock = (): MockClock => {
  // The machine may pause between the two readings, which makes their difference smaller, never larger.
  const differences = Array.from(
    { length: 16 },
    () => Number(process.hrtime.bigint()) / 1e6 - performance.now(),
  );
  const origin = Math.max(...differences);
  const now = (): number => origin + performance.now();
  const wheel = new TimerWheel({ now, after: wakeAfter });
  return {
    now,
    wall: () => Date.now(),
    at: (due, run) => wheel.series(due, once(run)),
    series: (due, recurring) => wheel.series(due, recurring),
    atEndOfTurn: (run) => {
      if (endOfTurnQueue.push(run) === 1) setImmediate(runEndOfTurnQueue);
    },
  };
};
