import { realClock } from '../../mock/clock/real-clock.ts';
import { nextLine, readOptions } from '../harness/child-input.ts';
import type { SpeedSamples } from './slow-intervals.ts';

/**
 * Times the same arithmetic every two milliseconds. Prints a line when it begins and, at the next line that it reads,
 * `SpeedSamples` in microseconds.
 */

const clock = realClock();
const at: number[] = [];
const durations: number[] = [];

let last = 88_172_645;
/** The time of a few thousand steps of Marsaglia's xorshift, which needs only registers. */
const timeArithmetic = (): number => {
  const begun = performance.now();
  let state = last;
  for (let step = 0; step < 3000; step += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  last = state;
  return Math.round((performance.now() - begun) * 1e6) / 1e3;
};

await readOptions();
for (let run = 0; run < 10_000; run += 1) timeArithmetic();
const timer = setInterval(() => {
  at.push(Math.round(clock.now() * 1e3) / 1e3);
  // Another process delays one of the three, a slow processor all of them.
  durations.push(Math.min(timeArithmetic(), timeArithmetic(), timeArithmetic()));
}, 2);
console.log('watching');
await nextLine();
clearInterval(timer);
console.log(JSON.stringify({ at, durations } satisfies SpeedSamples));
