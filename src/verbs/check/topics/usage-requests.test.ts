import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { encode as encodeP50k } from 'gpt-tokenizer/encoding/p50k_base';
import { encode as encodeR50k } from 'gpt-tokenizer/encoding/r50k_base';
import { expect, it } from 'vitest';
import type { CheckTarget } from '../reading/check-case.ts';
import { auditWords, openingOf, repeated, usageRequests, wordPrompts } from './usage-requests.ts';

const encodings = [
  ['o200k', encodeO200k],
  ['cl100k', encodeCl100k],
  ['p50k', encodeP50k],
  ['r50k', encodeR50k],
] as const;

const target = { chat: 'a/b', now: 1_790_000_000 } as CheckTarget;

it.each(encodings)('each repeated word of the audit is one token of %s', (_, encode) => {
  const tokens = (word: string, count: number): number =>
    encode(openingOf(target) + repeated(word, count)).length;
  for (const word of auditWords) expect(tokens(word, 141) - tokens(word, 40)).toBe(101);
});

it.each(encodings)('the tools of two requests differ by 107 tokens of %s', (_, encode) => {
  const [more, short] = ['usage-tools-more', 'usage-tools-short'].map((id) => {
    const { body } = usageRequests.find((each) => each.id === id)!.build(target)!;
    return encode(Buffer.from(body!).toString()).length;
  });
  expect(more! - short!).toBe(107);
});

it('the lengths of prompts of a word differ by primes', () => {
  const isPrime = (value: number): boolean =>
    value > 1 &&
    Array.from({ length: Math.floor(Math.sqrt(value)) - 1 }, (_, at) => value % (at + 2)).every(
      (rest) => rest !== 0,
    );
  for (const word of auditWords) {
    const lengths = Object.values(wordPrompts).flatMap(([own, count]) =>
      own === word ? [count] : [],
    );
    const sorted = [...new Set(lengths)].toSorted((a, b) => a - b);
    for (const [at, length] of sorted.slice(1).entries())
      expect(isPrime(length - sorted[at]!)).toBe(true);
  }
});
