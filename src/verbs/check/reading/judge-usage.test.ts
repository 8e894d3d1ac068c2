import { expect, it } from 'vitest';
import { plainUsage } from '../../../traffic/answer/read-usage.ts';
import type { AuditedAnswer } from './audited-answer.ts';
import { judgeCost, judgeLimit, judgeListed, judgeText } from './judge-usage.ts';

const answer = (
  output: number,
  changes: Partial<AuditedAnswer> = {},
  { cached, reasoning = 0 }: { readonly cached?: number; readonly reasoning?: number } = {},
): AuditedAnswer => ({
  id: 'usage-yes',
  written: 10,
  input: 1000,
  output,
  usage: plainUsage(1000, output, cached, reasoning),
  origin: 'a/b',
  finish: 'stop',
  text: 'Yes.',
  reasoningText: '',
  hasCalls: false,
  listed: null,
  serverTool: null,
  cost: null,
  ...changes,
});

const words = { count: (text: string) => text.split(' ').length, sha256: null };
const long = 'one two three four '.repeat(10).trim();

it.each([
  ['as many tokens as bytes and 16', answer(20), 'pass'],
  ['one more', answer(21), 'violation'],
  ['declared reasoning', answer(182, {}, { reasoning: 170 }), 'open'],
  ['too little declared reasoning', answer(182, {}, { reasoning: 100 }), 'violation'],
  ['a call, whose tokens are not known', answer(182, { hasCalls: true }), 'unchecked'],
])('the tokens of a text are judged: %s', (_, given, outcome) => {
  expect(judgeText(given, undefined).outcome).toBe(outcome);
});

it('with a tokenizer, a text has at most 1.1 times its tokens and 16', () => {
  expect(judgeText(answer(60, { text: long }), words).outcome).toBe('pass');
  expect(judgeText(answer(61, { text: long }), words)).toMatchObject({
    outcome: 'violation',
    bounds: { of: 'output', reported: 61, most: 60 },
  });
});

it.each([
  ['at the limit', answer(64, { finish: 'length' }), 'pass'],
  ['above it', answer(65, { finish: 'length' }), 'violation'],
  ['above it, with so long a text that it was not kept', answer(65, { text: long }), 'unchecked'],
  ['above it, with declared reasoning', answer(90, {}, { reasoning: 30 }), 'open'],
])('output tokens %s are judged', (_, given, outcome) => {
  expect(judgeLimit(given, 64).outcome).toBe(outcome);
});

it.each([
  [42, 40, 'pass'],
  [43, 40, 'violation'],
  [12, 40, 'pass'],
  [12, 0, 'unchecked'],
])('%d output tokens of which %d are listed are judged', (output, listed, outcome) => {
  expect(judgeListed(answer(output, { listed })).outcome).toBe(outcome);
});

it('shown reasoning that is not declared may be left out of the list', () => {
  const reasoningText = 'The word is yes. I say it.';
  const outcomeOf = (output: number) =>
    judgeListed(answer(output, { listed: 40, reasoningText })).outcome;
  expect([outcomeOf(68), outcomeOf(69)]).toEqual(['pass', 'violation']);
});

const price = { input: 1_000_000, cachedInput: 100_000, output: 4_000_000 };
const repeated = (cost: number | null, cached: number) => answer(10, { cost }, { cached });

it.each([
  ['the price of cached tokens', repeated(0.000_23, 900), price, 'pass'],
  ['the price of others', repeated(0.001_04, 900), price, 'violation'],
  ['another price', repeated(0.000_5, 900), price, 'deviation'],
  ['less than at first, without a price', repeated(0.000_23, 900), undefined, 'pass'],
  ['as much as at first, without a price', repeated(0.001_04, 900), undefined, 'deviation'],
  ['as much as at first, and nothing was cached', repeated(0.001_04, 0), undefined, 'open'],
  ['no cost', repeated(null, 900), price, 'open'],
])('a repeated prompt that costs %s is judged', (_, again, known, outcome) => {
  expect(judgeCost(repeated(0.001_04, 0), again, known).outcome).toBe(outcome);
});

it('the possible number of tokens is reported as bounds', () => {
  const declared = answer(182, {}, { reasoning: 100 });
  expect(judgeText(declared, undefined).bounds).toEqual({
    of: 'output',
    reported: 182,
    least: 0,
    most: 20 + 100,
  });
  expect(judgeText(declared, undefined).observed).toContain('at most 120 are possible');
  expect(judgeLimit(answer(65, { finish: 'length' }), 64).bounds).toMatchObject({ most: 64 });
  expect(judgeListed(answer(43, { listed: 40 })).bounds).toMatchObject({ reported: 43, most: 42 });
});
