import { expect, it } from 'vitest';
import { startMock } from '../mock/start.ts';
import { handClock } from '../mock/hand-clock.ts';
import { servedText } from './served-text.ts';

it('accounts for every request that the gateway received, also when it was stopped', async () => {
  const mock = await startMock({}, handClock(0));
  expect(servedText(mock.counters())).toBe('Ended; no request came.');
  const headers = { authorization: 'Bearer sk-weir-test' };
  await fetch(`${mock.url}/models`, { headers });
  expect(servedText(mock.counters())).toBe('Ended; of 1 request: 1 completed.');
  await fetch(`${mock.url}/models`);
  await mock.close();
  expect(servedText(mock.counters())).toBe('Ended; of 2 requests: 1 completed, 1 refused.');
});
