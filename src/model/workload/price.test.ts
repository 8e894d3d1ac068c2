import { expect, it } from 'vitest';
import {
  highestChatCost,
  isTooLong,
  speechCostOf,
  tokensByClass,
  transcriptionCostOf,
} from './price.ts';

it('speech costs as much as its characters, or its seconds, rounded to a millionth', () => {
  const speech = { characters: 2000, seconds: 12.5 };
  expect(speechCostOf({ perCharacter: 15_000_000 }, speech)).toBe(30_000);
  expect(speechCostOf({ perCharacter: 250 }, speech)).toBe(1);
  expect(speechCostOf({ perCharacter: 249 }, speech)).toBe(0);
  expect(speechCostOf({ perSecond: 100_000_000 }, speech)).toBe(1250);
  expect(speechCostOf({ perSecond: 120_000 }, speech)).toBe(2);
});

it('a transcription costs as much as its seconds, rounded up to whole steps', () => {
  const perSecond = 100_000_000;
  expect(transcriptionCostOf({ perSecond }, 12.5)).toBe(1250);
  const cost = (seconds: number, roundUpTo: number) =>
    transcriptionCostOf({ perSecond, roundUpTo }, seconds);
  expect([cost(12.5, 1000), cost(12, 1000), cost(12.5, 500), cost(0.1, 1000)]).toEqual([
    1300, 1200, 1250, 100,
  ]);
  expect([cost(12.5, 15_000), cost(15.001, 15_000)]).toEqual([1500, 3000]);
  // What a container adds to thirty seconds is no further one.
  expect(cost(30 + 2 ** -40, 1000)).toBe(3000);
});

it('the most that tokens can cost is that of the dearest class of their side, and of the answer', () => {
  const price = { input: 2_000_000, output: 8_000_000 };
  const tokens = { input: 3, output: 5 };
  expect(highestChatCost(tokens, price)).toBe(46);
  expect(
    highestChatCost(tokens, { ...price, cachedInput: 1_000_000, audioInput: 20_000_000 }),
  ).toBe(100);
  expect(highestChatCost(tokens, { ...price, cacheWrite: 4_000_000, reasoning: 9_000_000 })).toBe(
    57,
  );
  expect(highestChatCost(tokens, { ...price, audioOutput: 10_000_000, request: 7 })).toBe(63);
});

it('a prompt is too long for a price above its bound, if there is one', () => {
  expect(
    [9, 10, 11].map((input) => isTooLong(input, { input: 1, output: 1, maxInput: 10 })),
  ).toEqual([false, false, true]);
  expect(isTooLong(1e9, { input: 1, output: 1 })).toBe(false);
});

it('tokens are split into classes, of which the last ones are cut where they are more than the whole', () => {
  const split = (tokens: Parameters<typeof tokensByClass>[0]) =>
    Object.entries(tokensByClass(tokens)).flatMap(([name, count]) =>
      count === 0 ? [] : `${name} ${count}`,
    );
  const whole = { input: 100, output: 50 };
  expect(split(whole)).toEqual(['input 100', 'output 50']);
  expect(split({ ...whole, cached: 30, cacheWrite: 20, audioInput: 10 })).toEqual([
    'input 40',
    'cachedInput 30',
    'cacheWrite 20',
    'audioInput 10',
    'output 50',
  ]);
  expect(split({ ...whole, reasoning: 30, audioOutput: 15 })).toEqual([
    'input 100',
    'output 5',
    'reasoning 30',
    'audioOutput 15',
  ]);
  const many = { cached: 70, cacheWrite: 60, audioInput: 50, reasoning: 40, audioOutput: 30 };
  expect(split({ ...whole, ...many })).toEqual([
    'cachedInput 70',
    'cacheWrite 30',
    'reasoning 40',
    'audioOutput 10',
  ]);
  expect(split({ ...whole, ...many, cacheWrite: 10 })).toContain('audioInput 20');
  expect(split({ ...whole, cached: 101, reasoning: 51 })).toEqual([
    'cachedInput 100',
    'reasoning 50',
  ]);
});
