import { type MockClock, once } from './mock-clock.ts';
import { TimerWheel } from './timer-wheel.ts';

/** The longest delay of setTimeout; a later time is reached in several steps. */
const longestDelay = 2 ** 31 - 1;

/** Waits shorter than this, in ms, use naps, since timers of the event loop count whole milliseconds. */
const napThreshold = 2;

/** The longest nap, in ms; a request that arrives during a nap waits for its end. */
const longestNap = 0.5;

/** Work for the end of the loop's turn; a thread has one loop, so one queue serves all its clocks. */
let endOfTurnQueue: (() => void)[] = [];

const runEndOfTurnQueue = (): void => {
  const all = endOfTurnQueue;
  endOfTurnQueue = [];
  for (const run of all) run();
};

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without using the CPU; nothing ever wakes the cell. */
const nap = (milliseconds: number): void => void Atomics.wait(cell, 0, 0, milliseconds);

/** Calls `wake` after a delay, exact to 0.1 ms; the loop reads its sockets after each nap. */
const wakeAfterNaps = (milliseconds: number, wake: () => void): (() => void) => {
  const due = performance.now() + milliseconds;
  const poll = (): void => {
    // The turn ends before the nap.
    runEndOfTurnQueue();
    const left = due - performance.now();
    if (left <= 0) return wake();
    nap(Math.min(left, longestNap));
    immediate = setImmediate(poll);
  };
  let immediate = setImmediate(poll);
  return () => clearImmediate(immediate);
};

/** Calls `wake` after a delay or a little earlier: the caller then waits for the rest exactly. */
const wakeAfter = (milliseconds: number, wake: () => void): (() => void) => {
  const wakeFully = (): void => {
    wake();
    // Answers of this wake do not wait for requests that arrived meanwhile.
    runEndOfTurnQueue();
  };
  if (milliseconds < napThreshold) return wakeAfterNaps(milliseconds, wakeFully);
  const delay = Math.min(longestDelay, Math.floor(milliseconds - napThreshold / 2));
  const timer = setTimeout(wakeFully, delay);
  return () => clearTimeout(timer);
};

/**
 * The machine's clock, on the system's monotonic scale (`process.hrtime`), so that times of this process and of a
 * client on the same machine can be compared.
 */
export const realClock = (): MockClock => {
  // A pause of the machine between the two readings makes their difference smaller, never larger.
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
