import { expect, it } from 'vitest';
import { ProcessTurns } from './process-turns.ts';

/** Reads values of one counter, or of one series for each process; `null` is a reading without it. */
const areSeveral = (...readings: readonly (number | Readonly<Record<string, number>>)[]) => {
  const turns = new ProcessTurns();
  for (const reading of readings) {
    const values = typeof reading === 'number' ? { '': reading } : reading;
    const series = Object.entries(values).map(
      ([labels, value]) => [labels, { name: 'a_total', labels: [], value }] as const,
    );
    turns.add('a_total', new Map(series));
  }
  return turns.areSeveral;
};

it.each([
  [[1000, 40, 1010, 42]],
  [[1000, 1000, 40, 40, 1000, 40]],
  [[1000, 40, 41, 500, 1010, 1012, 43]],
  [[1000, 990, 1010, 1001]],
  [[5, 900_000, 6, 900_500, 7]],
  [[{ a: 10 }, { b: 90 }, { a: 11 }, { b: 95 }, { a: 12 }]],
  [
    [
      { a: 10, x: 1 },
      { b: 90, x: 1 },
      { a: 11, x: 1 },
      { b: 95, x: 1 },
      { a: 12, x: 1 },
    ],
  ],
])('several processes answer in turn with %j', (readings) => {
  expect(areSeveral(...readings)).toBe(true);
});

it.each([
  [[1000, 1010, 1010, 1020]],
  [[1000, 0, 10, 20]],
  [[1000, 40, 500, 1200, 1300]],
  [[1000, 0, 10, 20, 0, 10]],
  [[{ a: 10 }, {}, { a: 12 }, { a: 13 }]],
  [[{ a: 10 }, {}, { a: 1 }, {}, { a: 0 }]],
  [[{ a: 10 }, { a: 11, b: 1 }, { a: 12, b: 2 }]],
])('one process answers, perhaps after a restart, with %j', (readings) => {
  expect(areSeveral(...readings)).toBe(false);
});

it('a counter that needs long to be as high as before was restarted', () => {
  const slowly = Array.from({ length: 40 }, (_, n) => n * 3);
  expect(areSeveral(100, ...slowly, 2)).toBe(false);
});
