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
