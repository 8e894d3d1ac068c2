import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BusiestMinute } from './busiest-minute.ts';

it('finds the busiest of all possible minutes', () => {
  const arrivals = fc.array(fc.record({ gap: fc.nat(40_000), tokens: fc.nat(500) }), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(arrivals, (list) => {
      let at = 0;
      const due = list.map(({ gap, tokens }) => ({ at: (at += gap), tokens }));
      const minute = new BusiestMinute();
      for (const each of due) minute.add(each.at, each.tokens);
      const windows = due.map(({ at: begin }) =>
        due.filter((each) => each.at >= begin && each.at < begin + 60_000),
      );
      expect(minute.peak()).toEqual({
        requests: Math.max(...windows.map(({ length }) => length)),
        tokens: Math.max(
          ...windows.map((window) => window.reduce((sum, { tokens }) => sum + tokens, 0)),
        ),
      });
    }),
  );
});

it('finds it, too, among more arrivals than are kept', () => {
  const minute = new BusiestMinute();
  // One arrival a second for two days, and seven numbers of tokens in turn, so that a shift of one shows.
  for (let second = 0; second < 150_000; second += 1) minute.add(second * 1000, second % 7);
  const sums = Array.from({ length: 7 }, (_, from) =>
    Array.from({ length: 60 }, (__, at) => (from + at) % 7).reduce((sum, each) => sum + each, 0),
  );
  expect(minute.peak()).toEqual({ requests: 60, tokens: Math.max(...sums) });
});
