import { expect, it } from 'vitest';
import { boundOutcomeOf } from './bench.ts';

const row = { what: 'a figure', unit: '×', bound: { kind: 'at least', value: 2 } } as const;

it('a bound is kept, broken, or inconclusive if the bare reference breaks it too', () => {
  expect(boundOutcomeOf({ ...row, value: 2 })).toBe('kept');
  expect(boundOutcomeOf({ ...row, value: 1 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...row, value: 1, reference: 3 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...row, value: 1, reference: 1 })).toBe('inconclusive');
  expect(boundOutcomeOf({ ...row, value: 1, bound: null })).toBeNull();
});

it('an upper bound is kept by a smaller value and broken by an infinite one', () => {
  const above = { ...row, bound: { kind: 'at most', value: 2 } } as const;
  expect(boundOutcomeOf({ ...above, value: 2 })).toBe('kept');
  expect(boundOutcomeOf({ ...above, value: 3 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...above, value: 3, reference: 3 })).toBe('inconclusive');
  expect(boundOutcomeOf({ ...above, value: Number.POSITIVE_INFINITY })).toBe('BROKEN');
});

it('a figure that is NaN is not measured, with or without a bound', () => {
  expect(boundOutcomeOf({ ...row, value: Number.NaN })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.NaN, bound: null })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.POSITIVE_INFINITY })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.POSITIVE_INFINITY, bound: null })).toBe(
    'not measured',
  );
});
