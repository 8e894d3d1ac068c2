import { expect, it } from 'vitest';
import { readRetryAfter } from '../../traffic/limits/retry-after.ts';
import { fuzz, fuzzTargets, parseHttp } from './parser-fuzz.fixture.ts';

it.each(fuzzTargets)(
  'two thousand damaged answers, among them $name, end in one outcome however they are split',
  async (target) => {
    const accepted = await fuzz(target, 2000, 1);
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(1);
  },
);

it('the fault of a head does not depend on how it is split', () => {
  const head = Buffer.from(`http/1.1 200 ${'r'.repeat(17_000)}\r\n\r\n`);
  expect(parseHttp([head.subarray(0, 100), head.subarray(100)])).toEqual(parseHttp([head]));
});

it('a retry-after-ms that no double holds is no wait', () => {
  const wait = readRetryAfter({ 'retry-after-ms': '9'.repeat(400) }, 0)?.wait ?? 0;
  expect(wait).toBeLessThan(Infinity);
});
