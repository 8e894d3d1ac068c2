import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { BeginTurn } from './begin-turn.ts';

interface Overload {
  readonly requests: number;
  /** The time between two due instants, the time to begin a request, and the time of a read, in ms. */
  readonly every: number;
  readonly beginTakes: number;
  readonly readTakes: number;
}

/**
 * Simulates an event loop that always has something to read, and in which no alarm ever rings. Returns how long reads
 * took while each request was due and had not begun, in ms.
 */
const readsBeforeEach = ({ requests, every, beginTakes, readTakes }: Overload): number[] => {
  let time = 0;
  const spent: number[] = [];
  /** The begin of each read. All reads take equally long. */
  const reads: number[] = [];
  const turn = new BeginTurn({ now: () => instant(time) });
  const isDue = (): boolean => spent.length < requests && spent.length * every <= time;
  let first = 0;
  while (spent.length < requests) {
    reads.push(time);
    time += readTakes;
    if (!turn.mayOpen(instant(time))) continue;
    turn.open(instant(time), instant(spent.length * every), false);
    while (isDue() && turn.mayBegin()) {
      const due = spent.length * every;
      while (reads[first]! + readTakes <= due) first += 1;
      const started = reads[first] ?? time;
      spent.push((reads.length - first) * readTakes - Math.max(0, due - started));
      time += beginTakes;
    }
  }
  return spent;
};

describe('a turn in which requests begin', () => {
  it('lets reads take at most 100 ms before any request, at any overload', () => {
    const overload = fc.record({
      requests: fc.integer({ min: 1, max: 3000 }),
      every: fc.double({ min: 0, max: 1, noNaN: true }),
      beginTakes: fc.double({ min: 0.01, max: 3, noNaN: true }),
      readTakes: fc.double({ min: 0.005, max: 5, noNaN: true }),
    });
    fc.assert(
      fc.property(overload, (each) => {
        expect(Math.max(...readsBeforeEach(each))).toBeLessThan(100);
      }),
    );
  });

  it('leaves reads most of the time while requests have waited little', () => {
    const burst = { requests: 200, every: 0, beginTakes: 0.1, readTakes: 0.1 };
    // Reads of 4 ms follow each millisecond of beginning.
    expect(readsBeforeEach(burst)[35]).toBeGreaterThan(12);
  });
});
