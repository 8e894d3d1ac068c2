import { expect, it } from 'vitest';
import { latenessOf } from './lateness.ts';

it('a pause of the machine moves the percentiles of all tokens and not those of the median half second', () => {
  // Each token comes 1 ms late but for those of one pause of 100 ms.
  const tokens = Array.from({ length: 5000 }, (_, due) => ({
    due,
    sent: due >= 2000 && due < 2100 ? 2100 : due + 1,
  }));
  const late = latenessOf(tokens);
  expect(late).toStrictEqual({ p50: 1, p99: 51, max: 100, medianP99: 1, early: 0 });
});

it('a token before its time is counted', () => {
  const tokens = [
    { due: 0, sent: 0 },
    { due: 10, sent: 9.5 },
    { due: 2000, sent: 2001 },
  ];
  expect(latenessOf(tokens).early).toBe(1);
});
