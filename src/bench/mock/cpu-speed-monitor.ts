import { createInterface } from 'node:readline';
import { realClock } from '../../mock/clock/real-clock.ts';
import type { SpeedSamples } from './slow-intervals.ts';

/**
 * Runs the same arithmetic every two milliseconds from the first line that it reads, says a line when it begins, and
 * at the next line that it reads `SpeedSamples`, in microseconds.
 */

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const clock = realClock();
const at: number[] = [];
const took: number[] = [];

let last = 88_172_645;
/** What some thousand steps of Marsaglia's xorshift take, which need registers and nothing else. */
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

await lines.next();
for (let run = 0; run < 10_000; run += 1) timeArithmetic();
const timer = setInterval(() => {
  at.push(Math.round(clock.now() * 1e3) / 1e3);
  // Another process comes in between one of them, a slow processor slows them all.
  took.push(Math.min(timeArithmetic(), timeArithmetic(), timeArithmetic()));
}, 2);
console.log('watching');
await lines.next();
clearInterval(timer);
console.log(JSON.stringify({ at, durations: took } satisfies SpeedSamples));
