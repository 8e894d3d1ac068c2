import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../quantity.ts';
import { canaryErrors } from './canary.ts';
import { connectionFailuresOf } from './connection-failures.ts';
import { errorBarOf } from './error-bar.ts';
import { possibleWarmUpEnds, warmUpParts } from './found-warm-up.ts';
import { exactnessOf, isNothingKnown, isSlightlyOff, judgedFigures } from './judged-figures.ts';
import type { Result } from './result.ts';
import type { FigureError } from './verdict.ts';

const figure = (differing: Partial<FigureError> = {}): FigureError => ({
  traffic: 'chat-stream',
  measure: 'ttft',
  q: 0.5,
  value: 100,
  low: 90,
  high: 100,
  isHeadline: true,
  isWeak: false,
  isSmall: false,
  ...differing,
});

describe('how well a figure is known', () => {
  it.each([
    [{ isSmall: true, low: 0 }, 'exact'],
    [{ low: 50 }, 'approximate'],
    [{ low: 49.9 }, 'unknown'],
    [{ high: 150 }, 'approximate'],
    [{ high: 150.1 }, 'unknown'],
    // Five milliseconds are always allowed, but only of a time.
    [{ value: 4, low: 0, high: 9 }, 'approximate'],
    [{ value: 4, low: 0, high: 9.1 }, 'unknown'],
    [{ value: 4, low: 0, high: 9, measure: 'outputSpeed' }, 'unknown'],
    [{ value: 4, low: 2, high: 6, measure: 'outputSpeed' }, 'approximate'],
  ] as const)('%j is %s', (differing, exactness) => {
    expect(exactnessOf(figure(differing))).toBe(exactness);
  });

  it.each([
    [{ value: 100, low: 95, high: 105 }, true],
    [{ value: 100, low: 94.9, high: 100 }, false],
    [{ value: 100, low: 100, high: 105.1 }, false],
    [{ value: 8, low: 6, high: 10 }, true],
    [{ value: 8, low: 5.9, high: 8 }, false],
  ])('%j is off by little: %s', (differing, isLittle) => {
    expect(isSlightlyOff(figure(differing))).toBe(isLittle);
  });

  it('decides by the headline figures with enough samples, or by all if none has', () => {
    const [firm, weak, other] = [
      figure(),
      figure({ isWeak: true }),
      figure({ isHeadline: false }),
    ] as const;
    expect(judgedFigures([weak, firm, other])).toEqual([firm]);
    expect(judgedFigures([weak, other])).toEqual([weak]);
    expect(judgedFigures([other])).toEqual([]);
    const unknown = { low: 0, high: 999 };
    expect(isNothingKnown([])).toBe(false);
    expect(isNothingKnown([figure(unknown), figure()])).toBe(false);
    expect(isNothingKnown([figure(unknown), figure({ isWeak: true })])).toBe(true);
  });
});

describe('the self-test streams', () => {
  const errors = (events: number, streams = 2) => ({
    canary: { streams, errors: [[0.5, events]] as [number, number][] },
  });

  it('miss the events that were due and did not come', () => {
    // Each stream sends 20 a second.
    expect(canaryErrors([errors(40), errors(20)])).toMatchObject({ streams: 2, missing: 0.25 });
    expect(canaryErrors([errors(80, 1), errors(1)]).missing).toBe(0);
    expect(canaryErrors([]).missing).toBe(1);
    expect(canaryErrors([errors(40), {}]).missing).toBe(0.5);
    const both = canaryErrors([
      { canary: { streams: 1, errors: [[2, 3]] } },
      {
        canary: {
          streams: 1,
          errors: [
            [1, 2],
            [2, 1],
          ],
        },
      },
    ]);
    expect([1, 2, 3, 6].map((rank) => both.atRank(rank))).toEqual([1, 1, 2, 2]);
    expect(() => both.atRank(7)).toThrow('rank 7 is outside 1 … 6');
  });

  it('are summed up over the measured seconds of all event loops', () => {
    const second = (at: number, events: number) => ({ second: at, ...errors(events) });
    const plan = {
      warmUp: 1000,
      stages: [{ name: 's', load: { kind: 'open', curve: [{ duration: 3000 }] } }],
    };
    const slices = [
      { generator: [second(0, 1000), second(1, 40), second(2, 40)] },
      { generator: [second(1, 20), second(2, 20)] },
      { generator: [] },
    ];
    const bars = errorBarOf({ plan, slices, scheduled: 3000 } as unknown as Result);
    expect(bars).toEqual({
      p50: 0.5,
      p99: 0.5,
      max: 0.5,
      events: 120,
      streams: 2,
      loops: 2,
      missing: 0.25,
    });
    expect(errorBarOf({ plan, slices: [{ generator: [] }] } as unknown as Result)).toBeNull();
  });
});

it('connections that failed are counted by cause, the most frequent first', () => {
  const failure = (outcome: string, cause: string, count: number) => ({ outcome, cause, count });
  const found = connectionFailuresOf({
    failures: [
      failure('broken', 'reset', 2),
      failure('broken', 'tls', 5),
      failure('broken', 'reset', 1),
      failure('broken', 'deadline-total', 9),
      failure('limited', 'reset', 9),
    ],
    timeline: [{ due: 30 }, { due: 12 }],
  } as unknown as Result);
  expect(found).toEqual({
    due: 42,
    failed: 8,
    byCause: [
      { cause: 'tls', count: 5 },
      { cause: 'reset', count: 3 },
    ],
  });
});

describe('a warm-up that is found', () => {
  const auto = { earliest: milliseconds(2500), latest: milliseconds(9000) };

  it('can end from its earliest second on, and in the first half of what follows', () => {
    const whole = possibleWarmUpEnds(auto);
    expect([whole[0], whole.at(-1)]).toEqual([3, 9]);
    // Half of the eight seconds after 2.5 s end at 6.5 s.
    expect(possibleWarmUpEnds(auto, 10_500).at(-1)).toBe(6);
    expect(possibleWarmUpEnds(auto, 30_000)).toEqual(whole);
    expect(possibleWarmUpEnds(auto, 1000)).toEqual(possibleWarmUpEnds(auto, 2500));
  });

  it('has a part for each end, and one for all that follows', () => {
    const partOf = warmUpParts({ autoWarmUp: auto } as never);
    const ends = possibleWarmUpEnds(auto);
    expect(partOf(instant(0))).toBe(0);
    expect(partOf(instant(2999.9))).toBe(0);
    expect(partOf(instant(3000))).toBe(1);
    expect(partOf(instant(9000))).toBe(ends.length);
    expect(warmUpParts({} as never)(instant(0))).toBeUndefined();
  });
});
