import { expect, it } from 'vitest';
import { testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';

it('of five hundred concurrent requests over real sockets exactly the limit is admitted, each with a different remaining count', async () => {
  const { get } = await startManualMock({ limits: {}, ttft: 0, gap: 0 });
  const responses = await Promise.all(
    Array.from({ length: 500 }, () => get('/models', testKeyHeaders)),
  );
  const admitted = responses.filter(({ status }) => status === 200);
  const rests = admitted.map(({ headers }) =>
    headers.get('x-ratelimit-api_key-remaining-requests'),
  );
  expect(rests.map(Number).toSorted((a, b) => b - a)).toEqual(
    Array.from({ length: 60 }, (_, i) => 59 - i),
  );
});
