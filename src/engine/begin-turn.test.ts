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

  /** A turn, opened at 100, whose oldest request was due at this instant, and the time, which can be moved. */
  const opened = (oldest: number | null, isLast = false) => {
    const clock = { at: 100, now: () => instant(clock.at) };
    const turn = new BeginTurn(clock);
    turn.open(instant(100), oldest === null ? null : instant(oldest), isLast);
    const mayBegin = (at: number): boolean => {
      clock.at = at;
      return turn.mayBegin();
    };
    return { turn, mayBegin };
  };

  it.each([
    ['a millisecond if nothing waits', null, 1],
    ['as long if the oldest request is only due later', 130, 1],
    ['as long if it has waited 10 ms', 90, 1],
    ['3 ms if it has waited 30 ms', 70, 3],
    ['12 ms if it has waited 60 ms', 40, 12],
  ])('lasts %s', (_, oldest, length) => {
    const { turn, mayBegin } = opened(oldest);
    expect([0, 0.5, 0.99].map((part) => mayBegin(100 + part * length))).toEqual([true, true, true]);
    expect([turn.isHeld, mayBegin(100 + length), turn.isHeld]).toEqual([false, false, true]);
  });

  it('lets its first request begin however late, and all of them if it is the last turn', () => {
    expect(opened(null).mayBegin(500)).toBe(true);
    const { mayBegin } = opened(null, true);
    expect([100, 500, 1e9].map(mayBegin)).toEqual([true, true, true]);
  });

  it('opens again 4 ms after the last request that was held, or at once if none is', () => {
    const { turn, mayBegin } = opened(null);
    expect(turn.mayOpen(instant(100))).toBe(true);
    expect([mayBegin(100), mayBegin(102)]).toEqual([true, false]);
    expect([103, 105.9, 106].map((at) => turn.mayOpen(instant(at)))).toEqual([false, false, true]);
    turn.open(instant(106), null, false);
    expect([turn.isHeld, mayBegin(106), mayBegin(106.5)]).toEqual([false, true, true]);
  });
});
