import { expect, it } from 'vitest';
import { readDeclaredLimits } from './declared-limits.ts';

it.each([
  ['the common header', { 'x-ratelimit-limit': '100' }, ['100 requests'], []],
  ['that of old drafts', { 'ratelimit-limit': '2000, 2000' }, ['2,000 requests'], []],
  ['a header of tokens', { 'x-tokens-ratelimit-limit': '9000' }, ['9,000 tokens'], []],
  [
    'one with a reset soon',
    { 'x-ratelimit-limit': '9', 'x-ratelimit-reset': '50' },
    ['9 requests'],
    [],
  ],
  [
    'one with a reset in an hour',
    { 'x-ratelimit-limit': '9', 'x-ratelimit-reset': '3600' },
    [],
    ['9 requests in at least 3600 s'],
  ],
  ['a window', { 'x-ratelimit-limit': '60, 60;w=60' }, [], []],
  [
    'a window in a separate header',
    { 'x-ratelimit-limit': '60', 'x-ratelimit-window': '60' },
    [],
    [],
  ],
  ['OpenAI’s headers, which mean a minute', { 'x-ratelimit-limit-requests': '500' }, [], []],
  ['nothing but what remains', { 'x-ratelimit-remaining': '7' }, [], []],
])('a limit that names no period is reported as such: %s', (_, headers, assumed, longer) => {
  const read = readDeclaredLimits(headers)!;
  expect(read.longer).toEqual(longer);
  expect(read.assumed).toEqual(assumed.map((text) => ({ unit: text.split(' ')[1], text })));
});
