import { describe, expect, it } from 'vitest';
import { startMock } from '../../mock/gateway/start.ts';
import { manualMockClock } from '../../mock/clock/manual-mock-clock.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { mockSummaryText, serveMock } from './serve-mock.ts';

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

describe('the verb that serves the gateway', () => {
  const request = {
    scenario: undefined,
    settings: [],
    keys: undefined,
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    truth: undefined,
    seed: undefined,
    lifetime: null,
  };
  /** What is printed by a gateway that one request comes to, and which is then stopped. */
  const served = async (more: object) => {
    const fake = fakeHost();
    const serving = serveMock({ ...request, ...more }, fake.host);
    let text = '';
    while (text === '') {
      text = fake.printed[0]?.text({ colour: false, width: 80 }) ?? '';
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [, url = ''] = /listens on (\S+)/.exec(text) ?? [];
    const [, key = ''] = /^Keys: ([^,\n]+)/m.exec(text) ?? [];
    const { status } = await fetch(`${url}/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    fake.stop('SIGINT');
    await serving;
    return { text, status, said: fake.said };
  };

  it('says where it is, with which keys, and what came', async () => {
    const { text, status, said } = await served({});
    expect(text).toMatch(
      /^The reference gateway listens on http:\/\/127\.0\.0\.1:\d+\/v1\nKeys: sk-/,
    );
    expect(text).toMatch(/\nCounters: http:\/\/127\.0\.0\.1:\d+\/counters \(also /);
    expect(text).not.toContain('Changed settings');
    expect(status).toBe(200);
    expect(said).toEqual(['Ctrl-C ends it.', 'Ended; of 1 request: 1 completed.']);
  });

  it('names the settings that were changed, also a single one', async () => {
    const { text } = await served({ settings: ['ttft=5ms'], keys: ['sk-mine'] });
    expect(text).toMatch(/\nKeys: sk-mine\n/);
    expect(text).toMatch(/\nChanged settings: ttft=5ms$/);
  });
});
