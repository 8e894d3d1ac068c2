import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { ReadQueue, type ReadReceiver } from './read-queue.ts';

/** A queue whose turns the test ends, and receivers that note what they receive. */
const world = (receivers: number) => {
  const work: (() => void)[] = [];
  let now = 0;
  const queue = new ReadQueue({
    now: () => instant(now),
    afterReads: (each) => void work.push(each),
  });
  const received: string[] = [];
  /** What each delivery takes, in ms. */
  let cost = 0;
  const all = Array.from({ length: receivers }, (_, name): ReadReceiver => ({
    waitingReads: 0,
    received: (at, bytes, begin, end) => {
      now += cost;
      received.push(`${name} at ${at}: ${bytes.toString('latin1', begin, end)}`);
    },
  }));
  /** Reads into a buffer that all reads share, as sockets do. */
  const shared = Buffer.alloc(64 * 1024);
  const read = (name: number, at: number, text: string): void => {
    shared.write(text, 'latin1');
    now = Math.max(now, at);
    queue.add(all[name]!, instant(at), shared, text.length);
  };
  const endTurn = (): void => {
    for (const each of work.splice(0)) each();
  };
  const endTurns = (): void => {
    while (work.length > 0) endTurn();
  };
  const setCost = (each: number): void => {
    cost = each;
  };
  return { queue, all, received, read, endTurn, endTurns, setCost, work };
};

describe('queued reads', () => {
  it('are delivered after all reads of their turn, in their order, with their own instants', () => {
    const { received, read, endTurn, work } = world(2);
    read(0, 1, 'a');
    read(1, 2, 'bb');
    read(0, 3, 'c');
    expect(received).toEqual([]);
    expect(work).toHaveLength(1);
    endTurn();
    expect(received).toEqual(['0 at 1: a', '1 at 2: bb', '0 at 3: c']);
    read(1, 4, 'd');
    endTurn();
    expect(received.at(-1)).toBe('1 at 4: d');
  });

  it('that are long are delivered at once, after the waiting reads of the same connection', () => {
    const { received, read, endTurn } = world(2);
    read(0, 1, 'a');
    read(1, 2, 'b');
    read(0, 3, 'x'.repeat(4097));
    expect(received).toEqual(['0 at 1: a', `0 at 3: ${'x'.repeat(4097)}`]);
    read(1, 4, 'y'.repeat(4096));
    expect(received).toHaveLength(2);
    endTurn();
    expect(received.slice(2)).toEqual(['1 at 2: b', `1 at 4: ${'y'.repeat(4096)}`]);
  });

  it('of one connection can be delivered before, and are not delivered again', () => {
    const { queue, all, received, read, endTurn } = world(2);
    read(0, 1, 'a');
    read(1, 2, 'b');
    queue.deliverTo(all[1]!);
    expect(received).toEqual(['1 at 2: b']);
    endTurn();
    expect(received).toEqual(['1 at 2: b', '0 at 1: a']);
  });

  it('wait only as far as there is room: nothing is lost, and each connection keeps its order', () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 3 }),
      // Short ones, some that are too long to wait, and enough to fill all room.
      length: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 3000, max: 6000 })),
      next: fc.constantFrom('nothing', 'nothing', 'nothing', 'turn', 'end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { queue, all, received, read, endTurn, endTurns, setCost } = world(4);
        setCost(0.2);
        const sent: string[] = [];
        for (const [at, { name, length, next }] of steps.entries()) {
          const text = String.fromCharCode(97 + (at % 26)).repeat(length);
          sent.push(`${name} at ${at}: ${text}`);
          read(name, at, text);
          if (next === 'turn') endTurn();
          if (next === 'end') queue.deliverTo(all[name]!);
        }
        endTurns();
        expect(all.map(({ waitingReads }) => waitingReads)).toEqual([0, 0, 0, 0]);
        const of = (lines: readonly string[], name: number) =>
          lines.filter((line) => line.startsWith(`${name} at`));
        for (const name of [0, 1, 2, 3]) expect(of(received, name)).toEqual(of(sent, name));
        expect(received).toHaveLength(sent.length);
      }),
    );
  });

  it('are delivered a few in each turn, more of them the longer they wait', () => {
    const { received, read, endTurn, endTurns, setCost } = world(1);
    for (let at = 0; at < 1000; at += 1) read(0, 0, 'a');
    setCost(0.03);
    endTurn();
    expect(received).toHaveLength(4);
    for (let turn = 0; turn < 20; turn += 1) endTurn();
    const before = received.length;
    endTurn();
    expect(received.length - before).toBeGreaterThan(4);
    endTurns();
    expect(received).toHaveLength(1000);
  });

  it('of more than four megabytes are delivered at once, the oldest first', () => {
    const { received, read, endTurns } = world(1);
    const text = 'a'.repeat(4000);
    for (let at = 0; at < 2000; at += 1) read(0, at, text);
    expect(received.length).toBeGreaterThan(2000 - 1100);
    expect(received.length).toBeLessThan(2000);
    endTurns();
    expect(received).toEqual(Array.from({ length: 2000 }, (_, at) => `0 at ${at}: ${text}`));
  });
});
