import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import type { Answer } from '../../model/observation/outcome.ts';
import { instant } from '../../model/quantity.ts';
import { sampleObservation, sampleStream } from '../../record/sample-observations.fixture.ts';
import { ObservationQueue, withReadDelays } from './observation-queue.ts';

/** A loop whose turns and clock the test moves; observing a stream takes `cost` ms. */
const startLoop = (cost: number) => {
  let now = 0;
  let work: (() => void)[] = [];
  const observed: Observation[] = [];
  const clock = {
    now: () => instant(now),
    afterReads: (callback: () => void) => void work.push(callback),
  };
  const queue = new ObservationQueue(clock, (observation) => {
    now += cost;
    observed.push(observation);
  });
  return {
    queue,
    observed,
    moveTo: (at: number) => {
      now = at;
    },
    /** How many streams are observed in the next turn. */
    turn: (): number => {
      const before = observed.length;
      const due = work;
      work = [];
      for (const each of due) each();
      return observed.length - before;
    },
  };
};

const streamEnded = (at: number, tokens = 2): Observation => ({
  ...sampleObservation(),
  ended: instant(at),
  outcome: {
    kind: 'completed',
    answer: sampleStream(Array.from({ length: tokens }, (_, i) => i)),
  },
});

describe('the queue of observations', () => {
  it('observes ended streams after the reads of a turn, for 0.3 ms and at least one', () => {
    const { queue, observed, turn } = startLoop(0.12);
    for (let i = 0; i < 5; i += 1) queue.add(streamEnded(0));
    expect(observed).toEqual([]);
    expect([turn(), turn(), turn()]).toEqual([3, 2, 0]);
    const slow = startLoop(7);
    slow.queue.add(streamEnded(0));
    slow.queue.add(streamEnded(0));
    expect([slow.turn(), slow.turn(), slow.turn()]).toEqual([1, 1, 0]);
  });

  it('observes every stream once, in the order in which they ended', () => {
    const { queue, observed, turn } = startLoop(0.12);
    const ended = Array.from({ length: 1000 }, () => streamEnded(0));
    for (const [i, each] of ended.entries()) {
      queue.add(each);
      if (i % 10 === 0) turn();
    }
    expect(observed.length).toBeGreaterThan(100);
    expect(observed.length).toBeLessThan(1000);
    queue.drain();
    expect(observed).toEqual(ended);
    expect(turn()).toBe(0);
  });

  it('observes at once what is no stream', () => {
    const { queue, observed, turn } = startLoop(1);
    const [stream, chat] = [streamEnded(0), sampleObservation()];
    queue.add(stream);
    queue.add(chat);
    expect(observed).toEqual([chat]);
    turn();
    expect(observed).toEqual([chat, stream]);
  });

  it('takes longer turns once streams have waited for more than a second', () => {
    const { queue, moveTo, turn } = startLoop(1);
    for (let i = 0; i < 1000; i += 1) queue.add(streamEnded(0));
    moveTo(900);
    expect(turn()).toBe(1);
    moveTo(2000);
    expect(turn()).toBe(200);
  });

  it('lets no more than a million tokens wait', () => {
    const { queue, observed } = startLoop(1);
    for (let i = 0; i < 10; i += 1) queue.add(streamEnded(0, 200_000));
    expect(observed).toHaveLength(6);
  });
});

describe('the delays of reads', () => {
  const delaysOf = (observation: Observation) => {
    const observed: Observation[] = [];
    const clock = {
      readDelay: (at: number) => at / 10,
      readDelays: (all: Float64Array) => [...all],
    };
    const observe = withReadDelays(
      clock as unknown as Parameters<typeof withReadDelays>[0],
      (each) => observed.push(each),
    );
    observe(observation);
    return observed[0]!.readDelays;
  };
  const broken = (partial: Answer | null): Observation => ({
    ...streamEnded(90),
    outcome: { kind: 'broken', cause: 'reset', detail: '', partial },
  });

  it('are added to a stream, and to the first token of one that failed later', () => {
    expect(delaysOf(streamEnded(90, 2))).toEqual({ first: 0, end: 0.1, tokens: [0, 1] });
    expect(delaysOf(broken(sampleStream([20, 30])))).toEqual({ first: 2, end: 9, tokens: null });
    expect(delaysOf(broken(sampleStream([])))).toBeUndefined();
    expect(delaysOf(broken(null))).toBeUndefined();
  });

  it('of single tokens are those of every eighth stream once there are more than 20,000', () => {
    const seen: unknown[] = [];
    const clock = { readDelay: () => 0, readDelays: (all: Float64Array) => [all.length] };
    const observe = withReadDelays(clock as never, ({ readDelays }) => {
      const { tokens, weight } = readDelays!;
      seen.push([tokens, weight]);
    });
    for (let i = 0; i < 20; i += 1) observe(streamEnded(90, 1000));
    expect(seen).toEqual(Array.from({ length: 20 }, () => [[1000], undefined]));
    seen.length = 0;
    for (let i = 0; i < 16; i += 1) observe(streamEnded(90, 3));
    const eighth = [...Array.from({ length: 7 }, () => [null, undefined]), [[3], 8]];
    expect(seen).toEqual([...eighth, ...eighth]);
    observe(sampleObservation());
    expect(seen.at(-1)).toEqual([null, undefined]);
  });
});
