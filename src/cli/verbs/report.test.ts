import { expect, it } from 'vitest';
import { requestsFrom } from './report.ts';

it('a table of requests is made of observations: neither is any use without the other', () => {
  const requests = 'requests.csv';
  const observations = ['a.jsonl', 'b.jsonl'];
  expect(requestsFrom({ requests, observations })).toEqual({ requests, observations });
  expect(requestsFrom({ requests: undefined, observations: [] })).toBeNull();
  expect(() => requestsFrom({ requests: undefined, observations })).toThrow(
    '--observations: nothing is made of them without --requests FILE',
  );
  expect(() => requestsFrom({ requests, observations: [] })).toThrow(
    '--requests: a result has the distributions of all requests',
  );
});
