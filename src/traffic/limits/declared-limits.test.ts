import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headerFamilies } from './header-families.ts';
import { readDeclaredLimits } from './declared-limits.ts';
import { readReportedLimits } from './read-limit-headers.ts';

const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
const now = Date.parse(date);

type Row = readonly [
  name: string,
  headers: Readonly<Record<string, string>>,
  minute: readonly (number | null)[],
  longer?: readonly string[],
];

const openai = {
  'x-ratelimit-limit-requests': '500',
  'x-ratelimit-remaining-requests': '499',
  'x-ratelimit-reset-requests': '120ms',
  'x-ratelimit-limit-tokens': '30000',
  'x-ratelimit-remaining-tokens': '29000',
};

const rows: readonly Row[] = [
  [
    'Azure, which reports no requests',
    {
      'x-ratelimit-limit-requests': '-1',
      'x-ratelimit-remaining-requests': '-1',
      'x-ratelimit-limit-tokens': '120000',
      'x-ratelimit-remaining-tokens': '-1',
    },
    [null, null, 120_000, -1],
  ],
  [
    'Azure, whose requests are of ten seconds',
    {
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-renewalperiod-requests': '10',
    },
    [60, 9, null, null],
  ],
  [
    'Azure API Management',
    { 'remaining-tokens': '900', 'consumed-tokens': '7' },
    [null, null, null, 900],
  ],
  [
    'a rule of APISIX',
    { 'x-5-ratelimit-limit': '5', 'x-5-ratelimit-remaining': '4', 'x-5-ratelimit-reset': '60' },
    [5, 4, null, null],
  ],
  [
    'a gateway that names itself',
    { 'x-gateway-ratelimit-limit': '60', 'x-gateway-ratelimit-remaining': '59' },
    [60, 59, null, null],
  ],
  [
    'a gateway that names the unit before',
    { 'x-tokens-ratelimit-limit': '6000', 'x-requests-ratelimit-limit': '60' },
    [60, null, 6000, null],
  ],
  [
    'the order of Anthropic’s names',
    { 'x-ratelimit-requests-limit': '60', 'x-ratelimit-tokens-remaining': '900' },
    [60, null, null, 900],
  ],
  ['a hyphen', { 'rate-limit-limit': '60', 'rate-limit-remaining': '59' }, [60, 59, null, null]],
  ['OpenAI', openai, [500, 499, 30_000, 29_000]],
  [
    'OpenAI, as its guide has it',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    [60, 59, 150_000, 149_984],
  ],
  [
    'Groq, whose requests are of a day',
    {
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-reset-tokens': '7.66s',
    },
    [null, null, 18_000, 17_997],
    ['14,400 requests a day'],
  ],
  [
    'Azure, without limits',
    { 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-remaining-tokens': '4990' },
    [null, 9, null, 4990],
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-requests-limit': '1000',
      'anthropic-ratelimit-requests-remaining': '999',
      'anthropic-ratelimit-requests-reset': '2025-08-21T12:40:59Z',
      'anthropic-ratelimit-input-tokens-limit': '80000',
      'anthropic-ratelimit-tokens-limit': '96000',
      'anthropic-ratelimit-tokens-remaining': '95000',
    },
    [1000, 999, 96_000, 95_000],
    ['80,000 input tokens a minute'],
  ],
  [
    'Cerebras, of a day and of a minute',
    {
      'x-ratelimit-limit-requests-day': '14400',
      'x-ratelimit-remaining-requests-day': '14000',
      'x-ratelimit-limit-tokens-minute': '60000',
      'x-ratelimit-remaining-tokens-minute': '50',
      'x-ratelimit-reset-tokens-minute': '26.5',
    },
    [null, null, 60_000, 50],
    ['14,400 requests a day'],
  ],
  [
    'Mistral',
    { 'x-ratelimit-limit-req-minute': '60', 'x-ratelimit-remaining-tokens-minute': '499000' },
    [60, null, null, 499_000],
  ],
  [
    'Kong, with the draft’s headers',
    {
      'x-ratelimit-limit-minute': '20',
      'x-ratelimit-remaining-minute': '19',
      'x-ratelimit-limit-hour': '500',
      'ratelimit-limit': '20',
      'ratelimit-remaining': '19',
      'ratelimit-reset': '47',
    },
    [20, 19, null, null],
    ['500 requests an hour'],
  ],
  ['no x', { 'ratelimit-limit-requests': '150' }, [150, null, null, null]],
  ['Kong by the second', { 'x-ratelimit-limit-second': '5' }, [300, null, null, null]],
  ['Kong in windows of seconds', { 'x-ratelimit-limit-7': '10' }, [85, null, null, null]],
  [
    'Kong’s AI limiter',
    { 'x-ai-ratelimit-limit-minute-openai': '500', 'x-ai-ratelimit-remaining-minute-openai': '7' },
    [null, null, 500, 7],
  ],
  [
    'Kong’s AI limiter in windows of seconds',
    { 'x-ai-ratelimit-limit-90-policy-1': '20' },
    [null, null, null, null],
    ['20 tokens in 90 s'],
  ],
  [
    'APISIX',
    { 'x-ai-ratelimit-limit-llama': '300', 'x-ai-ratelimit-reset-llama': '30' },
    [null, null, 300, null],
  ],
  [
    'Together by the second',
    { 'x-ratelimit-limit': '10', 'x-ratelimit-reset': '1', 'x-tokenlimit-limit': '3000' },
    [600, null, 180_000, null],
  ],
  [
    'Spring Cloud Gateway',
    { 'x-ratelimit-remaining': '4', 'x-ratelimit-replenish-rate': '5' },
    [300, 4, null, null],
  ],
  [
    'LiteLLM of a model',
    { 'x-ratelimit-model_per_key-limit-requests': '9' },
    [9, null, null, null],
  ],
  [
    'rpm and tpd',
    { 'x-ratelimit-limit-rpm': '9', 'x-ratelimit-limit-tpd': '5000' },
    [9, null, null, null],
    ['5,000 tokens a day'],
  ],
  [
    'GitHub, whose window is an hour',
    { date, 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': String(now / 1000 + 3000) },
    [null, null, null, null],
    ['5,000 requests in at least 3000 s'],
  ],
  [
    'OpenRouter',
    {
      date,
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(now + 40_000),
    },
    [20, 0, null, null],
  ],
  [
    'draft 3',
    { 'ratelimit-limit': '60, 60;w=60', 'ratelimit-remaining': '50' },
    [60, 50, null, null],
  ],
  [
    'draft 3 with a day',
    { 'ratelimit-limit': '100, 100;w=60, 5000;w=86400' },
    [100, null, null, null],
    ['5,000 requests a day'],
  ],
  [
    'the words of old drafts',
    { 'x-ratelimit-limit': '100, 100;window=60, 10000;window=86400' },
    [100, null, null, null],
    ['10,000 requests a day'],
  ],
  [
    'Envoy',
    {
      'x-ratelimit-limit': '10, 10;w=1;name="default"',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '1',
    },
    [600, 9, null, null],
  ],
  [
    'draft 6 of express-rate-limit',
    {
      'ratelimit-policy': '100;w=900',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '9',
      'ratelimit-reset': '10',
    },
    [null, null, null, null],
    ['100 requests in 900 s'],
  ],
  ['draft 7', { ratelimit: 'limit=60, remaining=50, reset=30' }, [60, 50, null, null]],
  [
    'draft 7 with its policies',
    { ratelimit: 'limit=60, remaining=50, reset=30', 'ratelimit-policy': '60;w=60, 1000;w=86400' },
    [60, 50, null, null],
    ['1,000 requests a day'],
  ],
  [
    'draft 7 with commas in its numbers',
    {
      ratelimit: 'limit=60, remaining=50, reset=30',
      'ratelimit-policy': '60;w=60, 1,000;w=86400',
    },
    [60, 50, null, null],
    ['1,000 requests a day'],
  ],
  [
    'draft 8',
    { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=60;w=60' },
    [60, 50, null, null],
  ],
  [
    'draft 8 with tokens in its name',
    { ratelimit: '"input-tokens";r=50;t=30', 'ratelimit-policy': '"input-tokens";q=60;w=60' },
    [null, null, 60, 50],
  ],
  [
    'draft 10 with units',
    {
      ratelimit: '"a";r=50;t=30, "b";r=9;t=30',
      'ratelimit-policy':
        '"a";q=60;w=60;qu="requests", "b";q=900;w=60;qu="tokens", "c";q=5;w=86400',
    },
    [60, 50, 900, 9],
    ['5 requests a day'],
  ],
  [
    'Helicone',
    { 'helicone-ratelimit-limit': '900', 'helicone-ratelimit-policy': '900;w=3600;u=request' },
    [null, null, null, null],
    ['900 requests an hour'],
  ],
  [
    'Cohere',
    { 'x-trial-endpoint-call-limit': '20', 'x-endpoint-monthly-call-limit': '1000' },
    [20, null, null, null],
    ['1,000 requests a month'],
  ],
  [
    'LiteLLM of a key',
    { 'x-litellm-key-rpm-limit': '100', 'x-litellm-key-tpm-limit': '5000' },
    [100, null, 5000, null],
  ],
  [
    'a gateway with per in its names',
    { 'x-ratelimit-limit-tokens-per-minute': '900' },
    [null, null, 900, null],
  ],
  [
    'draft 7 with other marks',
    { ratelimit: 'Limit=60; Remaining="50"; Reset=30' },
    [60, 50, null, null],
  ],
  [
    'a bucket with fractions',
    { 'ratelimit-limit': '60.0', 'ratelimit-remaining': '49.5', 'ratelimit-reset': '0.5' },
    [60, 49, null, null],
  ],
  [
    'draft 8 with fractions',
    { ratelimit: '"a";r=49.5;t=0.5', 'ratelimit-policy': '"a";q=60.0;w=60' },
    [60, 49, null, null],
  ],
  ['two proxies without a space', { 'x-ratelimit-limit': '100,100' }, [100, null, null, null]],
  ['two proxies that say the same', { 'x-ratelimit-limit': '60, 60' }, [60, null, null, null]],
  [
    'Hugging Face, whose policy is not what the draft says',
    {
      ratelimit: '"api";r=499;t=289',
      'ratelimit-policy': '"fixed window";"api";q=500;w=300',
    },
    [null, null, null, null],
    ['500 requests in 300 s'],
  ],
  [
    'a policy with its window before each name',
    {
      ratelimit: '"rpm";r=5;t=3, "tpm";r=9;t=3',
      'ratelimit-policy': '"sliding";"rpm" ;q=6;w=60, "sliding" ; "tpm" ; q=10;w=60;qu="tokens"',
    },
    [6, 5, 10, 9],
  ],
  [
    'a policy with capitals and a mark at its end',
    { ratelimit: '"a"; R=50; T=30;', 'ratelimit-policy': '"a"; Q=60; W="60";' },
    [60, 50, null, null],
  ],
  [
    'draft 7 with spaces',
    { ratelimit: 'limit = 60 , remaining = 50, reset= 30' },
    [60, 50, null, null],
  ],
  [
    'Brave, with a limit of a second and one of a month',
    {
      'x-ratelimit-limit': '1, 15000',
      'x-ratelimit-policy': '1;w=1, 15000;w=2592000',
      'x-ratelimit-remaining': '1, 14000',
      'x-ratelimit-reset': '1, 1419704',
    },
    [60, 1, null, null],
    ['15,000 requests a month'],
  ],
  [
    'a gateway with several limits by their words',
    { 'x-ratelimit-limit': '60/minute, 1000/hour', 'x-ratelimit-remaining': '59' },
    [60, 59, null, null],
    ['1,000 requests an hour'],
  ],
];

/** The notations of a limit, with the limit for a minute or the longer one. */
const notations: readonly (readonly [text: string, minute: number | null, longer?: string])[] = [
  ['60/minute', 60],
  ['60/min', 60],
  ['60/m', 60],
  ['60 per minute', 60],
  ['60 per 1 minute', 60],
  ['60 per 1 minute (burst 20)', 60],
  ['60/min (burst 20)', 60],
  ['60/min, burst=20', 60],
  ['60 per minute per key', 60],
  ['60 per key', 60],
  ['60, 60', 60],
  ['60/min, 60/min', 60],
  ['60/minute per tenant', 60],
  ['60 (per minute)', 60],
  ['60 per minute (sliding window)', 60],
  ['60 per rolling minute', 60],
  ['60 requests/minute', 60],
  ['60 req/min', 60],
  ['60 requests a minute', 60],
  ['60 calls every minute', 60],
  ['60 RPM', 60],
  ['60rpm', 60],
  ['10r/s', 600],
  ['10/s', 600],
  ['10/sec', 600],
  ['10-S', 600],
  ['5/10s', 30],
  ['10-M', 10],
  ['100/15m', null, '100 requests in 900 s'],
  ['1000/h', null, '1,000 requests an hour'],
  ['1000 per day', null, '1,000 requests a day'],
  ['1000/month', null, '1,000 requests a month'],
  ['200k', 200_000],
  ['200K', 200_000],
  ['2M', 2_000_000],
  ['1.5m', 1_500_000],
  ['2 million', 2_000_000],
  ['2k/min', 2000],
  ['2_000', 2000],
  ['2,000', 2000],
  ['150,000', 150_000],
  ['1,200,000', 1_200_000],
  ['1,500 requests per minute', 1500],
  ['1,000/hour', null, '1,000 requests an hour'],
];

describe('the limits that an answer declares', () => {
  it.each(rows.map(([name, headers, minute, longer = []]) => ({ name, headers, minute, longer })))(
    'are read from the headers of $name',
    ({ headers, minute, longer }) => {
      const read = readDeclaredLimits(headers);
      const { limitRequests, remainingRequests, limitTokens, remainingTokens } = read?.quota ?? {
        limitRequests: null,
        remainingRequests: null,
        limitTokens: null,
        remainingTokens: null,
      };
      expect([limitRequests, remainingRequests, limitTokens, remainingTokens]).toEqual(minute);
      expect(read!.longer).toEqual(longer);
      expect(readReportedLimits(headers, now).unreadable).toEqual([]);
    },
  );

  it.each(notations.map(([text, minute, longer]) => ({ text, minute, longer })))(
    'are read where they are written $text',
    ({ text, minute, longer }) => {
      for (const name of ['x-ratelimit-limit', 'ratelimit-limit', 'x-ratelimit-limit-requests']) {
        const read = readDeclaredLimits({ [name]: text });
        expect(read?.quota?.limitRequests ?? null).toBe(minute);
        expect(read?.longer).toEqual(longer === undefined ? [] : [longer]);
      }
    },
  );

  it.each([
    ['ratelimit', '3600', undefined, '1,000 requests an hour'],
    ['x-ratelimit', '10s', 6000, undefined],
    ['x-rate-limit', 'minute', 1000, undefined],
    ['x-ratelimit', 'day', undefined, '1,000 requests a day'],
    ['x-ratelimit', 'soon', 1000, undefined],
  ])('have the window of a separate header: %s-window: %s', (name, window, minute, longer) => {
    const headers = { [`${name}-limit`]: '1000', [`${name}-window`]: window };
    const read = readDeclaredLimits(headers);
    expect(read?.quota?.limitRequests ?? undefined).toBe(minute);
    expect(read?.longer).toEqual(longer === undefined ? [] : [longer]);
  });

  it('are of tokens where the header says so', () => {
    const headers = { 'x-ratelimit-limit-tokens': '2M TPM', 'x-ratelimit-limit-requests': '1k' };
    expect(readDeclaredLimits(headers)?.quota).toMatchObject({
      limitTokens: 2_000_000,
      limitRequests: 1000,
    });
  });

  it.each([
    '60/fortnight',
    '60/60',
    '60/60 (burst 20)',
    'burst 20',
    '8 of 45/min',
    '200k tokens/min',
    'k',
    '60 per',
    '60//m',
    '6e9',
    'soon',
    '1,00',
    '',
  ])('are not read where they are written %j', (text) => {
    const headers = { 'x-ratelimit-limit-requests': text };
    expect(readDeclaredLimits(headers)).toBeNull();
    expect(readReportedLimits(headers, now).unreadable).toEqual([
      `x-ratelimit-limit-requests: ${text}`,
    ]);
  });

  it('are none without such headers', () => {
    expect(readDeclaredLimits({ 'content-type': 'text/plain', server: 'x' })).toBeNull();
  });

  it('are the interface’s before any others, which count where it has none', () => {
    const headers = { ...openai, 'x-ratelimit-api_key-limit-requests': '60' };
    expect(readDeclaredLimits(headers)!.quota).toMatchObject({
      limitRequests: 60,
      limitTokens: 30_000,
    });
  });
});

it('every family of headers names its source in the comment above it', () => {
  const text = readFileSync(new URL('header-families.ts', import.meta.url), 'utf8');
  const comments = text
    .split('\n')
    .flatMap((line, n, lines) => (/^ {2}family\(/.test(line) ? [lines[n - 1]!] : []));
  expect(comments).toHaveLength(headerFamilies.length);
  for (const comment of comments) expect(comment).toMatch(/^ {2}\/\/ \S/);
});
