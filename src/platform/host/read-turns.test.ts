import { describe, expect, it } from 'vitest';
import { ReadTurns } from './read-turns.ts';

/** A loop that the test moves. */
const fakeLoop = () => {
  let idle = 0;
  let now = 0;
  let afterReads: (() => void)[] = [];
  const turns = new ReadTurns(0, {
    now: () => now,
    idle: () => idle,
    afterReads: (callback) => afterReads.push(callback),
  });
  return {
    turns,
    sleep: (ms: number): void => {
      idle += ms;
    },
    endTurn: (at: number): void => {
      now = at;
      const callbacks = afterReads;
      afterReads = [];
      for (const callback of callbacks) callback();
    },
  };
};

describe('the delay of a read', () => {
  it('is the time since the loop woke up for it', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    for (const at of [10, 10.5, 13]) turns.read(at);
    expect([10, 10.5, 13].map((at) => turns.delayAt(at))).toEqual([0, 0.5, 3]);
    endTurn(13);
    expect([10, 10.5, 13].map((at) => turns.delayAt(at))).toEqual([0, 0.5, 3]);
  });

  it('includes what a timer did after it woke the loop', () => {
    const { turns, sleep } = fakeLoop();
    sleep(10);
    turns.woke(10);
    turns.read(70);
    expect(turns.delayAt(70)).toBe(60);
  });

  it('of a loop that did not sleep is the time since it looked at its sockets before', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    turns.read(10);
    endTurn(11);
    turns.read(14);
    expect(turns.delayAt(14)).toBe(4);
    endTurn(14.5);
    turns.read(15);
    // The sockets that were read at 14 were looked at after 11.
    expect(turns.delayAt(15)).toBe(4);
  });

  it('counts from when the loop was last seen awake if it then looked at its sockets in vain', () => {
    const { turns } = fakeLoop();
    turns.woke(14);
    turns.looked(15);
    turns.read(16);
    expect(turns.delayAt(16)).toBe(2);
  });

  it('includes the time between the end of the event loop’s sleep and the read, as far as the length of the sleep is known', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    turns.read(1);
    endTurn(2);
    sleep(10);
    turns.read(40);
    expect(turns.delayAt(40)).toBe(28);
  });

  it('counts from before a sleep that lasted beyond a timer, since the process was not running', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    turns.woke(5);
    turns.timerSet(25);
    sleep(495);
    turns.read(500);
    expect(turns.delayAt(500)).toBe(495);
    endTurn(501);
    turns.woke(501);
    turns.timerSet(521);
    sleep(20);
    turns.woke(521.5);
    turns.read(522);
    expect(turns.delayAt(522)).toBe(1);
    turns.timerStopped();
    endTurn(522);
    sleep(100);
    turns.read(622);
    expect(turns.delayAt(622)).toBe(0);
  });

  it('does not count from before a sleep that a timer ended a little early', () => {
    const { turns, sleep } = fakeLoop();
    turns.woke(5);
    turns.timerSet(25);
    sleep(19.2);
    turns.woke(24.2);
    turns.timerSet(44.2);
    sleep(15);
    turns.read(39.2);
    expect(turns.delayAt(39.2)).toBe(0);
  });

  it.each([
    [23.4, 476.6],
    [23.5, 0],
    [23.6, 0],
  ])(
    'counts from before a later sleep if the loop woke at %f ms for a timer at 25 ms: %f',
    (woke, delay) => {
      const { turns, sleep } = fakeLoop();
      turns.woke(5);
      turns.timerSet(25);
      sleep(woke - 5);
      turns.woke(woke);
      sleep(500 - woke);
      turns.read(500);
      expect(turns.delayAt(500)).toBeCloseTo(delay, 9);
    },
  );

  it('counts from before such a sleep if the timer itself notices it first', () => {
    const { turns, sleep } = fakeLoop();
    turns.woke(5);
    turns.timerSet(25);
    sleep(495);
    turns.woke(500);
    turns.read(501);
    expect(turns.delayAt(501)).toBe(496);
  });

  it('is 0 below a tenth of a millisecond, and for instants at which nothing was late', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    turns.read(10);
    turns.read(10.05);
    endTurn(10.05);
    expect(turns.delayAt(10.05)).toBe(0);
    sleep(10);
    turns.read(20);
    turns.read(25);
    endTurn(25);
    sleep(10);
    turns.read(35);
    endTurn(35);
    expect([5, 20, 25, 30, 35].map((at) => turns.delayAt(at))).toEqual([0, 0, 5, 0, 0]);
  });

  it('of the first read of a turn is that of its turn, not of the one before', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    turns.read(10);
    turns.read(11);
    endTurn(11);
    // The loop does not sleep, so that this read may have waited since it looked before.
    turns.read(15);
    turns.read(16);
    endTurn(16);
    sleep(10);
    turns.read(26);
    turns.read(27);
    endTurn(27);
    sleep(10);
    turns.read(37);
    endTurn(37);
    const reads = [10, 11, 15, 16, 26, 27];
    expect(reads.map((at) => turns.delayAt(at))).toEqual([0, 1, 5, 6, 0, 1]);
    for (const at of reads)
      expect(turns.delaysAt(Float64Array.of(at), 0)).toEqual([turns.delayAt(at)]);
  });

  it('is found for many instants at once, on the clock that they are of', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    turns.read(10);
    turns.read(12);
    endTurn(12);
    sleep(28);
    turns.read(40);
    endTurn(40);
    const instants = Float64Array.of(-88, -60);
    expect(turns.delaysAt(instants, 100)).toEqual([2, 0]);
    expect(turns.delaysAt(Float64Array.of(-80, -70), 100)).toEqual([0, 0]);
    expect(turns.delaysAt(new Float64Array(0), 0)).toEqual([]);
  });

  it('is found for instants of several turns, of which the last has not ended', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    for (const [asleep, first, last] of [
      [10, 10, 12],
      [8, 20, 23],
      [7, 30, 34],
    ] as const) {
      endTurn(first);
      sleep(asleep);
      turns.woke(first);
      turns.read(first);
      turns.read(last);
      if (last < 34) endTurn(last);
    }
    const instants = Float64Array.of(10, 12, 20, 23, 30, 34);
    const found = [0, 2, 0, 3, 0, 4];
    expect(turns.delaysAt(instants, 0)).toEqual(found);
    const later = instants.map((at) => at - 1000);
    expect(turns.delaysAt(later, 1000)).toEqual(found);
    expect(turns.delaysAt(Float64Array.of(5, 12), 0)).toEqual([0, 2]);
    expect(turns.delaysAt(Float64Array.of(12, 23), 0)).toEqual([2, 3]);
    endTurn(34);
    expect(turns.delaysAt(instants, 0)).toEqual(found);
    expect([turns.delayAt(40), ...turns.delaysAt(Float64Array.of(34, 40), 0)]).toEqual([0, 4, 0]);
  });

  it('of the first read of the present turn is found among many, too', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    sleep(10);
    turns.read(10);
    endTurn(11);
    turns.read(14);
    expect(turns.delaysAt(Float64Array.of(14), 0)).toEqual([4]);
  });

  it('does not count from a look at the sockets in the midst of reads', () => {
    const { turns, endTurn } = fakeLoop();
    turns.read(16);
    turns.looked(17);
    endTurn(18);
    turns.read(20);
    expect(turns.delayAt(20)).toBe(20);
  });

  it('counts from the end of a sleep after the loop looked at its sockets in vain', () => {
    const { turns, sleep } = fakeLoop();
    sleep(10);
    turns.looked(12);
    sleep(2);
    turns.read(14.5);
    expect(turns.delayAt(14.5)).toBe(0.5);
  });

  it('does not count from before a sleep beyond a timer that was stopped', () => {
    const { turns, sleep } = fakeLoop();
    turns.woke(5);
    turns.timerSet(25);
    turns.timerStopped();
    sleep(495);
    turns.read(500);
    expect(turns.delayAt(500)).toBe(0);
  });

  it('does not count from before a sleep that a timer ended two and a half milliseconds late', () => {
    const { turns, sleep } = fakeLoop();
    turns.woke(5);
    turns.timerSet(25);
    sleep(22.5);
    turns.read(27.5);
    expect(turns.delayAt(27.5)).toBe(0);
  });

  it('is not shortened by a microsecond of sleep', () => {
    const { turns, sleep } = fakeLoop();
    sleep(0.001);
    turns.read(5);
    expect(turns.delayAt(5)).toBe(5);
  });

  it.each([
    [0.05, 0],
    [0.1, 0.1],
  ])('of %f ms is %f ms, in the turn and after it', (at, delay) => {
    const { turns, endTurn } = fakeLoop();
    turns.read(at);
    expect([turns.delayAt(at), ...turns.delaysAt(Float64Array.of(at), 0)]).toEqual([delay, delay]);
    endTurn(at);
    expect([turns.delayAt(at), ...turns.delaysAt(Float64Array.of(at), 0)]).toEqual([delay, delay]);
  });

  it('that is no longer remembered is at most the greatest that was forgotten', () => {
    const { turns, sleep, endTurn } = fakeLoop();
    for (let turn = 1; turn <= 2 ** 15 + 10; turn += 1) {
      sleep(9);
      turns.read(turn * 10);
      turns.read(turn * 10 + (turn === 5 ? 3 : 1));
      endTurn(turn * 10 + (turn === 5 ? 3 : 1));
    }
    expect(turns.delayAt(11)).toBe(3);
    expect(turns.delaysAt(Float64Array.of(11, 21), 0)).toEqual([3, 3]);
    expect(turns.delayAt(200_001)).toBe(1);
  });
});
