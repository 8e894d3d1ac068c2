import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { ReadQueue, type ReadReceiver } from './read-queue.ts';

/** A queue whose turns the test ends, and receivers that note what they receive. */
const world = (receivers: number) => {
  const work: (() => void)[] = [];
  const queue = new ReadQueue((each) => void work.push(each));
  const received: string[] = [];
  const all = Array.from({ length: receivers }, (_, name): ReadReceiver => ({
    waitingReads: 0,
    received: (at, bytes, begin, end) =>
      void received.push(`${name} at ${at}: ${bytes.toString('latin1', begin, end)}`),
  }));
  /** Reads into a buffer that all reads share, as sockets do. */
  const shared = Buffer.alloc(64 * 1024);
  const read = (name: number, at: number, text: string): void => {
    shared.write(text, 'latin1');
    queue.add(all[name]!, instant(at), shared, text.length);
  };
  const endTurn = (): void => {
    for (const each of work.splice(0)) each();
  };
  return { queue, all, received, read, endTurn, work };
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
        const { queue, all, received, read, endTurn } = world(4);
        const sent: string[] = [];
        for (const [at, { name, length, next }] of steps.entries()) {
          const text = String.fromCharCode(97 + (at % 26)).repeat(length);
          sent.push(`${name} at ${at}: ${text}`);
          read(name, at, text);
          if (next === 'turn') endTurn();
          if (next === 'end') queue.deliverTo(all[name]!);
        }
        endTurn();
        expect(all.map(({ waitingReads }) => waitingReads)).toEqual([0, 0, 0, 0]);
        const of = (lines: readonly string[], name: number) =>
          lines.filter((line) => line.startsWith(`${name} at`));
        for (const name of [0, 1, 2, 3]) expect(of(received, name)).toEqual(of(sent, name));
        expect(received).toHaveLength(sent.length);
      }),
    );
  });

  it('are delivered at once where more come in a turn than may wait', () => {
    const { received, read } = world(1);
    for (let at = 0; at < 3000; at += 1) read(0, at, 'a');
    expect(received.length).toBeGreaterThan(0);
    expect(received.length).toBeLessThan(3000);
  });
});
