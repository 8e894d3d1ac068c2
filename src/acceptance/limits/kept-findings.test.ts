// @gate 3 s
import { beforeAll, describe, expect, it } from 'vitest';
import { type ExaminedGateway, wholeFindings } from './whole-findings.fixture.ts';

/** The findings of quick examinations of gateways that keep their limit, or are faulty in something else. */

let usual: readonly string[];
beforeAll(async () => {
  usual = await wholeFindings({ limits: {}, hasClaims: true });
});

it('an examination of a gateway that keeps its limit sends and finds this', () => {
  expect(usual).toMatchSnapshot();
});

/** Gateways of which other things are found. */
const gateways: readonly (readonly [string, ExaminedGateway])[] = [
  ['a log', { limits: { algorithm: 'sliding-log' } }],
  ['windows of the clock', { limits: { algorithm: 'fixed-aligned' } }],
  ['a log that counts refusals', { limits: { algorithm: 'sliding-log-counting-refusals' } }],
  ['a weighted counter', { limits: { algorithm: 'sliding-counter' } }],
  ['a bucket', { limits: { algorithm: 'token-bucket' } }],
  ['a bucket of a third', { limits: { algorithm: 'burst-bucket', burstShare: 0.35 } }],
  ['a bucket that refills in halves', { limits: { algorithm: 'stepped-bucket', steps: 2 } }],
  ['a queue', { limits: { algorithm: 'leaky-queue' } }],
  [
    'a cap on requests in flight',
    { limits: { inFlight: 3, bugs: ['inFlightRefusalsCount'] }, more: { service: 60 } },
  ],
  ['one as LiteLLM’s proxy', { limits: { profile: 'litellm' } }],
  [
    'one that reserves tokens, with a constant wait and a reset',
    { limits: { accounting: 'reserve', retryAfter: 'constant', body: 'key' } },
  ],
  [
    'one whose waits are half the time, with another body',
    { limits: { retryAfter: 'wrong', body: 'detail', headersOn: ['chat'] } },
  ],
  [
    'one without waits, with few tokens',
    { limits: { retryAfter: 'none', tokensPerMinute: 60 }, tokens: 60 },
  ],
  ['one that fails now and then', { limits: {}, more: { failureShare: 0.15 } }],
  ['one that fails always', { limits: {}, more: { failureShare: 1 } }],
  ['one on a machine that pauses', { limits: {}, more: { pause: 300, service: [20, 200] } }],
  ['one counter for all keys', { limits: {}, more: { isSharedLimit: true } }],
];

describe('what else is sent and found', () => {
  it.each(gateways)('of %s', async (_, gateway) => {
    const known = new Set(usual);
    const found = await wholeFindings(gateway);
    expect(found.filter((line) => !known.has(line))).toMatchSnapshot();
  });
});
