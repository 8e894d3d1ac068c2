import { describe, expect, it } from 'vitest';
import type { SeenRequest } from '../model/seen-request.ts';
import { dueIn, inWindows, isWithin, windowsOf, yardstickOf } from './windows.ts';

const request = (due: number, took: number): SeenRequest => ({
  policy: 'p',
  due,
  ended: due + took,
  came: due + took,
  attempts: [],
  named: 0,
});

describe('a window', () => {
  it('has what is due from its beginning until before its end', () => {
    const requests = [0, 999, 1_000, 1_999, 2_000, 2_500].map((due) => request(due, 1));
    expect(dueIn(requests, 999, 2_000).map(({ due }) => due)).toEqual([999, 1_000, 1_999]);
    const windows = windowsOf(requests, { from: 0, to: 2_600 }, 1_000);
    expect(windows.map((each) => each.map(({ due }) => due))).toEqual([
      [0, 999],
      [1_000, 1_999],
    ]);
    expect(inWindows([5], (each) => each, { from: 10, to: 20 }, 5)).toEqual([[], []]);
    // A tenth of a second is no exact number, and still fits three times into three tenths.
    expect(inWindows([], () => 0, { from: 0, to: 0.3 }, 0.1)).toHaveLength(3);
  });

  it('counts an answer as in time up to the bound, and a failure never', () => {
    expect([100, 101, Infinity].map((took) => isWithin(request(5, took), 100))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the yardstick of requests after an overload', () => {
  const phases = { from: 0, peak: 20_000, gone: 30_000, until: 60_000 } as never;
  /** Every `apart` ms a request; `slow` says which of them take 300 ms instead of 100. */
  const base = (apart: number, slow: (at: number) => boolean = () => false) =>
    Array.from({ length: 20_000 / apart }, (_, at) => request(at * apart, slow(at) ? 300 : 100));
  const times = { median: 100, within: 200 };
  const many = (good: number, bad: number): readonly SeenRequest[] => [
    ...Array.from({ length: good }, () => request(31_000, 100)),
    ...Array.from({ length: bad }, () => request(31_000, 300)),
  ];

  it('has the shortest windows in which enough requests are due', () => {
    // The probability of 5 % is of all windows: 60 of half a second need 3.14² = 9.9 requests, 30 of a second 8.6.
    expect(yardstickOf(base(50), phases, times)!.length).toBe(500);
    expect(yardstickOf(base(51), phases, times)!.length).toBe(1_000);
    // Six windows of five seconds need 2.39² = 5.7 requests each, and three of ten seconds are too few.
    expect(yardstickOf(base(800), phases, times)!.length).toBe(5_000);
    expect(yardstickOf(base(1_000), phases, times)).toBeNull();
    expect(yardstickOf([], phases, times)).toBeNull();
    const soon = { ...(phases as object), until: 30_900 } as never;
    expect(yardstickOf(base(50), soon, times)).toBeNull();
  });

  it('has none where the time after the overload is shorter than the windows that would be long enough', () => {
    const ending = (until: number) => ({ ...(phases as object), until }) as never;
    expect(yardstickOf(base(1_000), ending(35_000), times)).toBeNull();
    // Five windows are enough, and four are not.
    expect(yardstickOf(base(50), ending(32_500), times)!.length).toBe(500);
    expect(yardstickOf(base(50), ending(32_499), times)).toBeNull();
  });

  it('allows a tenth more than the base had', () => {
    const { isBad, isGood, within } = yardstickOf(base(50), phases, times)!;
    expect(within).toBe(200);
    expect([isGood(many(1_000, 0)), isBad(many(1_000, 0))]).toEqual([true, false]);
    expect([isGood(many(930, 70)), isBad(many(930, 70))]).toEqual([true, false]);
    expect([isGood(many(900, 100)), isBad(many(900, 100))]).toEqual([false, false]);
    expect([isGood(many(870, 130)), isBad(many(870, 130))]).toEqual([false, true]);
    expect([isGood([]), isBad([])]).toEqual([false, false]);
    expect(isBad(many(0, 1))).toBe(true);
  });

  it('calls a window bad in any case if surely more than nine in ten are', () => {
    const slow = base(50, (at) => at % 20 < 17);
    const { isBad } = yardstickOf(slow, phases, times)!;
    expect([isBad(many(85, 915)), isBad(many(75, 925))]).toEqual([false, true]);
  });

  it('is surer of a window among many, and of requests that depend on each other', () => {
    const { isBad } = yardstickOf(base(50), phases, times)!;
    expect([isBad(many(875, 125)), isBad(many(875, 125), 60)]).toEqual([true, false]);
    // The dependence counts where it is stronger: at the median here, while none is slower than the bound.
    const clustered = base(50, (at) => at % 100 < 20);
    expect(yardstickOf(clustered, phases, { median: 100, within: 400 })).toBeNull();
    expect(yardstickOf(clustered, phases, { median: 400, within: 100 })).toBeNull();
    expect(yardstickOf(clustered, phases, { median: 400, within: 400 })!.length).toBe(500);
    // Where all of a second in five are slow, no window has enough that are independent; one in five may be.
    expect(
      yardstickOf(
        base(50, (at) => at % 100 < 20),
        phases,
        times,
      ),
    ).toBeNull();
    expect(
      yardstickOf(
        base(50, (at) => at % 5 === 0),
        phases,
        times,
      )!.length,
    ).toBe(500);
  });
});
