import { expect, it } from 'vitest';
import type { Result } from './result.ts';
import { cachedSharesOf } from './cached-shares.ts';

interface Prompts {
  readonly answers?: number;
  readonly input?: number;
  readonly cached?: readonly [answers: number, input: number, tokens: number];
}

const group = (
  model: string,
  { answers = 4, input = 100, cached }: Prompts,
  { traffic = 'chat', warmUp = false, completed = undefined as object | undefined } = {},
) => ({
  labels: { traffic, model, warmUp },
  tokens: [
    {
      answers,
      answersWithInput: answers,
      input,
      ...(cached && { cached: { answers: cached[0], input: cached[1], tokens: cached[2] } }),
    },
  ],
  ...(completed && { bills: { completed } }),
});
const sharesOf = (...groups: readonly object[]) => cachedSharesOf({ groups } as unknown as Result);

it('what is cached is a share of all prompts, also of those whose answers do not say', () => {
  expect(sharesOf(group('m', { cached: [3, 60, 25] }))).toEqual([
    { traffic: 'chat', model: 'm', cached: 0.25, written: 0, answers: 3 },
  ]);
});

it('groups of a kind and a model add up, the warm-up left out', () => {
  const shares = sharesOf(
    group('m', { cached: [4, 100, 20] }),
    group('n', { cached: [4, 100, 50] }),
    group('m', { cached: [4, 300, 80], input: 300 }),
    group('m', { cached: [4, 100, 100] }, { warmUp: true }),
    group('m', { cached: [4, 100, 10] }, { traffic: 'chat-stream' }),
  );
  expect(
    shares.map(({ traffic, model, cached, answers }) => [traffic, model, cached, answers]),
  ).toEqual([
    ['chat', 'm', 0.25, 8],
    ['chat', 'n', 0.5, 4],
    ['chat-stream', 'm', 0.1, 4],
  ]);
});

it('what was written to a cache is a share of the billed tokens of prompts', () => {
  const tokens = { input: 10, cachedInput: 20, cacheWrite: 30, audioInput: 40, output: 900 };
  const cached = [4, 100, 20] as const;
  const written = (...bills: readonly object[]) =>
    sharesOf(...bills.map((completed) => group('m', { cached }, { completed })))[0]!.written;
  expect(written({ tokens })).toBe(0.3);
  expect(written({ tokens }, { tokens: { ...tokens, cacheWrite: 130 } })).toBeCloseTo(
    160 / 300,
    12,
  );
  expect(written({ tokens }, {})).toBe(0.3);
  expect(written({ tokens: { input: 0, cachedInput: 0, cacheWrite: 0, audioInput: 0 } })).toBe(0);
});

it('a model of which no answer says what was cached has no share, nor one without prompts', () => {
  expect(sharesOf(group('m', {}))).toEqual([]);
  expect(sharesOf(group('m', { input: 0, cached: [4, 0, 0] }))).toEqual([]);
  expect(sharesOf(group('m', { cached: [1, 10, 0] }))).toMatchObject([{ cached: 0, answers: 1 }]);
});
