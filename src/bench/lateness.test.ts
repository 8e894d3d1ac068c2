import { expect, it } from 'vitest';
import { latenessOf } from './lateness.ts';

it('a pause of the machine moves the percentiles of all tokens and not those of the median half second', () => {
  const due = Array.from({ length: 5000 }, (_, i) => i);
  // Each token comes 1 ms late but for those of one pause of 100 ms.
  const sent = due.map((instant) => (instant >= 2000 && instant < 2100 ? 2100 : instant + 1));
  const late = latenessOf(due, sent);
  expect(late).toStrictEqual({ p50: 1, p99: 51, latest: 100, medianP99: 1, early: 0 });
});

it('a token before its time is counted', () => {
  expect(latenessOf([0, 10, 2000], [0, 9.5, 2001]).early).toBe(1);
});
