import { describe, expect, it } from 'vitest';
import type { Load, Plan } from '../model/plan/plan.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { constantLoad, fakePlan, fakeSliceOptions, usersAtOnce } from './fake-run.fixture.ts';
import { createLoops, earlierOf, type LoadLoop, pollInOrder } from './load-loop.ts';

const always = (): boolean => true;
const stage = (name: string, load: Load): Plan['stages'][number] => ({
  name,
  load,
  traffic: [{ kind: 'models', weight: 1 }],
});

/** The loops of some loads, one stage after the other, with what they begin. */
const loopsOf = (...loads: readonly Load[]) => {
  const begun: { stage: number; index: number; due: number; by: string }[] = [];
  const answers: ((at: number) => void)[] = [];
  const plan = fakePlan(loads[0]!, {
    stages: loads.map((load, i) => stage(`s${i}`, load)),
  });
  const loops = createLoops(fakeSliceOptions(plan), {
    scheduled: ({ stage: place, index, due }) =>
      void begun.push({ stage: place, index, due, by: 'schedule' }),
    byUser: ({ stage: place, index, due }, onAnswered) => {
      begun.push({ stage: place, index, due, by: 'user' });
      answers.push((at) => onAnswered?.(instant(at)));
    },
  });
  return { loops, loop: loops[0]!, begun, answers };
};
const dues = (begun: readonly { readonly due: number }[]) => begun.map(({ due }) => due);

it('the earlier of two instants, of which one may be absent', () => {
  const [one, two] = [instant(1), instant(2)];
  expect([earlierOf(one, two), earlierOf(two, one), earlierOf(one, one)]).toEqual([1, 1, 1]);
  expect([earlierOf(null, two), earlierOf(one, null), earlierOf(null, null)]).toEqual([2, 1, null]);
});

describe('a schedule', () => {
  it('begins what is due, also at the very instant, and says when the next is', () => {
    const { loop, begun } = loopsOf(constantLoad(10, 300));
    expect(loop.nextDue()).toBe(0);
    loop.poll(instant(100), always);
    expect([dues(begun), loop.nextDue()]).toEqual([[0, 100], 200]);
    loop.poll(instant(199.9), always);
    expect(begun).toHaveLength(2);
    loop.poll(instant(1000), always);
    expect([dues(begun), loop.nextDue()]).toEqual([[0, 100, 200], null]);
    expect(begun.every(({ by }) => by === 'schedule')).toBe(true);
  });

  it('is over at its end, and not before, even if nothing is left', () => {
    const { loop } = loopsOf(constantLoad(10, 300));
    expect(loop.exhausted(instant(1000))).toBe(false);
    loop.poll(instant(299), always);
    expect([loop.exhausted(instant(299)), loop.exhausted(instant(300))]).toEqual([false, true]);
  });

  it('that is stopped has nothing left', () => {
    const { loop, begun } = loopsOf(constantLoad(10, 300));
    loop.poll(instant(0), always);
    loop.stop();
    loop.poll(instant(1000), always);
    expect([begun.length, loop.nextDue(), loop.exhausted(instant(1))]).toEqual([1, null, true]);
  });

  it('waits with what may not begin yet', () => {
    const { loop, begun } = loopsOf(constantLoad(10, 300));
    let left = 1;
    loop.poll(instant(200), () => (left -= 1) >= 0);
    expect([begun.length, loop.nextDue()]).toEqual([1, 100]);
  });
});

describe('users', () => {
  const thinking: Load = { ...usersAtOnce(2), thinkTime: milliseconds(50) } as Load;

  it('send again when they have the answer and have thought', () => {
    const { loop, begun, answers } = loopsOf(thinking);
    loop.poll(instant(0), always);
    expect([begun.map(({ index }) => index), loop.nextDue()]).toEqual([[0, 1], null]);
    answers[1]!(30);
    expect(loop.nextDue()).toBe(80);
    loop.poll(instant(79), always);
    expect(begun).toHaveLength(2);
    loop.poll(instant(85), always);
    // The second request of the second of two users.
    expect(begun[2]).toEqual({ stage: 0, index: 3, due: 80, by: 'user' });
  });

  it('send nothing at the end of their load or later', () => {
    const { loop, begun, answers } = loopsOf(thinking);
    loop.poll(instant(0), always);
    answers[0]!(949);
    answers[1]!(950);
    expect(loop.nextDue()).toBe(999);
    loop.poll(instant(2000), always);
    expect(dues(begun)).toEqual([0, 0, 999]);
    expect([loop.exhausted(instant(999)), loop.exhausted(instant(1000))]).toEqual([false, true]);
  });

  it('share a number of requests, and are done when all of them are answered', () => {
    const load: Load = {
      kind: 'iterations',
      users: 2,
      iterations: 3,
      maxDuration: milliseconds(10_000),
      thinkTime: milliseconds(0),
      rampUp: milliseconds(0),
    } as unknown as Load;
    const { loop, begun, answers } = loopsOf(load);
    loop.poll(instant(0), always);
    answers[0]!(10);
    loop.poll(instant(10), always);
    expect(begun.map(({ index }) => index)).toEqual([0, 1, 2]);
    answers[1]!(20);
    loop.poll(instant(20), always);
    expect([begun.length, loop.exhausted(instant(20))]).toEqual([3, false]);
    answers[2]!(30);
    loop.poll(instant(30), always);
    expect([begun.length, loop.exhausted(instant(30))]).toEqual([3, true]);
  });

  it('that are stopped have nothing left', () => {
    const { loop, begun, answers } = loopsOf(thinking);
    loop.poll(instant(0), always);
    loop.stop();
    answers[0]!(10);
    loop.poll(instant(500), always);
    expect([begun.length, loop.nextDue(), loop.exhausted(instant(10))]).toEqual([2, null, true]);
  });

  it('stand for the connections of a load that saturates', () => {
    const { loop, begun } = loopsOf({
      kind: 'saturate',
      connections: 3,
      duration: milliseconds(1000),
    });
    loop.poll(instant(0), always);
    expect(begun.map(({ index, by }) => `${index} ${by}`)).toEqual(['0 user', '1 user', '2 user']);
    expect(loop.exhausted(instant(1000))).toBe(true);
  });
});

describe('several loops', () => {
  const loopAt = (name: string, due: readonly number[], begun: string[]): LoadLoop => {
    const left = [...due];
    return {
      poll: (now, mayBegin) => {
        while (left.length > 0 && left[0]! <= now && mayBegin())
          begun.push(`${name}${left.shift()}`);
      },
      nextDue: () => (left.length === 0 ? null : instant(left[0]!)),
      stop: () => undefined,
      exhausted: () => left.length === 0,
    };
  };

  it('begin in the order in which requests are due, whichever loop has them', () => {
    const begun: string[] = [];
    const loops = [loopAt('a', [5, 20, 30], begun), loopAt('b', [1, 6, 7, 25], begun)];
    pollInOrder(loops, instant(25), always);
    expect(begun).toEqual(['b1', 'a5', 'b6', 'b7', 'a20', 'b25']);
    pollInOrder(loops, instant(30), always);
    expect(begun.at(-1)).toBe('a30');
    pollInOrder(loops, instant(99), always);
    expect(begun).toHaveLength(7);
  });

  it('all wait as soon as one has to', () => {
    const begun: string[] = [];
    let left = 2;
    const loops = [loopAt('a', [1, 4], begun), loopAt('b', [2, 3], begun)];
    pollInOrder(loops, instant(9), () => (left -= 1) >= 0);
    expect(begun).toEqual(['a1', 'b2']);
  });

  it('follow each other in stages', () => {
    const { loops, begun } = loopsOf(constantLoad(10, 200), usersAtOnce(1), constantLoad(10, 100));
    expect(loops.map((loop) => loop.nextDue())).toEqual([0, 200, 1200]);
    pollInOrder(loops, instant(5000), always);
    expect(begun.map(({ stage: place, due }) => `${place} ${due}`)).toEqual([
      '0 0',
      '0 100',
      '1 200',
      '2 1200',
    ]);
  });
});
