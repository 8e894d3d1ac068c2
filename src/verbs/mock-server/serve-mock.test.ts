import { expect, it } from 'vitest';
import { startMock } from '../../mock/gateway/start.ts';
import { manualMockClock } from '../../mock/clock/manual-mock-clock.fixture.ts';
import { mockSummaryText } from './serve-mock.ts';

it('accounts for every request that the gateway received, also when it was stopped', async () => {
  const mock = await startMock({}, manualMockClock(0));
  expect(mockSummaryText(mock.counters())).toBe('Ended; no requests received.');
  const headers = { authorization: 'Bearer sk-weir-test' };
  await fetch(`${mock.url}/models`, { headers });
  expect(mockSummaryText(mock.counters())).toBe('Ended; of 1 request: 1 completed.');
  await fetch(`${mock.url}/models`);
  await mock.close();
  expect(mockSummaryText(mock.counters())).toBe('Ended; of 2 requests: 1 completed, 1 refused.');
});
