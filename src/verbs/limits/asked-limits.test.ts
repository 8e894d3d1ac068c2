import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineLimits, type LimitsRequest, priceOf, sustainOf } from './limits.ts';
import { sampleLimitsRequest } from './sample-limits-request.fixture.ts';

/** Asks for an examination of a limit of requests, which nobody confirms; returns what it says. */
const asked = async (given: Partial<LimitsRequest> = {}): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-limits-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sent: string[] = [];
  const server = await startAnswering(({ url }) => {
    sent.push(url);
    return [200, JSON.stringify({ object: 'list', data: [{ object: 'model', id: 'm' }] })];
  });
  onTestFinished(() => server.close());
  const { host, said } = fakeHost({ WEIR_API_KEY: 'sk-one', SECOND: 'sk-two' });
  const request = {
    ...sampleLimitsRequest,
    target: `${server.origin}/v1`,
    set: ['limits.requestsPerMinute=60'],
    out: join(folder, 'out'),
    ...given,
  };
  await expect(examineLimits(request, host)).rejects.toThrow('this budget needs a confirmation');
  expect(sent.filter((url) => url !== '/v1/models')).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  return said.map((line) => line.replace(server.origin, 'ORIGIN'));
};

describe('an examination of requests', () => {
  it.each<readonly [Partial<LimitsRequest>]>([
    [{}],
    [{ quick: true, price: '2/8' }],
    [{ sustain: '0', model: 'named' }],
    [{ checks: 'even, concurrency', window: '10s' }],
    [{ secondKey: 'SECOND' }],
    [{ secondKey: 'SECOND', sameTeam: true }],
  ])('with %j says its model and its budget, and sends nothing without a yes', async (given) => {
    expect(await asked(given)).toMatchSnapshot();
  });
});

it('a price is of a million tokens of input, of output and of a cache', () => {
  expect(priceOf(undefined)).toBe(null);
  expect(priceOf('0.15/0.6')).toEqual({ input: 150_000, output: 600_000 });
  expect(priceOf('1/2/0.000001')).toEqual({ input: 1e6, output: 2e6, cached: 1 });
  for (const wrong of ['1', '1/', '/1', '1/2/', '1/2/3/4', '0.0000001/1', '-1/2'])
    expect(() => priceOf(wrong), wrong).toThrow(
      `such as 0.15/0.60 or 0.15/0.60/0.015; got ${wrong}`,
    );
});

it('a load lasts for 3 windows, or for up to 60', () => {
  expect([undefined, '0', '1', '60'].map(sustainOf)).toEqual([3, 0, 1, 60]);
  for (const wrong of ['61', '-1', '1.5', '', 'x'])
    expect(() => sustainOf(wrong), wrong).toThrow(
      `--sustain: expected a number of windows from 0 to 60; got ${wrong}`,
    );
});
