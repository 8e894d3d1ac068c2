import { describe, expect, it } from 'vitest';
import type { Bill, Bills } from '../../model/measures/bill.ts';
import type { Result } from '../../model/result/result.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { addBounds, type BillPart, billItems, billParts, costOfMonth } from './bill.ts';
import { billBlocks, currencyOf, roughMoneyText } from './bill-blocks.ts';

const tokens = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  audioInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
};
/** Millionths for a million tokens: 2 for input, 8 for output. */
const price = { input: 2_000_000, output: 8_000_000 };
type Prices = typeof price & Partial<Record<string, number>>;

const sample = sampleRunResult();

/** A run of one group of chat-stream, with this bill and price. */
const billed = (bills: Bills, own: Prices | null = price, pricing = {}): Result => {
  const group = sample.groups.find(
    ({ labels }) => labels.traffic === 'chat-stream' && !labels.warmUp,
  )!;
  const stages = sample.plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((entry) =>
      entry.kind === 'chat-stream' ? { ...entry, price: own } : entry,
    ),
  }));
  return { ...sample, groups: [{ ...group, bills }], plan: { ...sample.plan, stages, pricing } };
};
const words = (result: Result): readonly string[] =>
  terminalText(
    {
      weir: '',
      title: '',
      blocks: billBlocks(result).filter((block) => block !== false),
      footer: '',
    },
    { colour: false, width: 400 },
  )
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const month = /^A month/;
const sentences = (bills: Bills, own?: Prices | null): readonly string[] =>
  words(billed(bills, own)).filter((line) => !month.test(line));
const of = (known: number, unknown: number, cost: number, more: Partial<Bill> = {}): Bill => ({
  known,
  unknown,
  cost,
  ...more,
});
const unreported = (received: number, asked: number, unlimited = 0) => ({
  unreported: { received, asked, unlimited },
});

describe('the waste in a bill', () => {
  it('has a part for each fate, at least what is known', () => {
    expect(sentences({ completed: of(2, 0, 10) })).toEqual([]);
    expect(
      sentences({ failed: of(1, 0, 3), retried: of(0, 2, 0), cancelled: of(1, 3, 7) }),
    ).toEqual([
      'Wasted, beside the completed answers: answers that failed: 0.000003, attempts before a retry: unknown (unknown for 2 of 2), hang-ups: at least 0.000007 (unknown for 3 of 4).',
    ]);
  });

  const completed = of(2, 0, 90, { tokens: { ...tokens, input: 20, output: 10 } });
  const hangUps = 'Wasted, beside the completed answers: hang-ups: unknown (unknown for 3 of 3';
  it('has the bounds of what is unknown, with prompts as those of completed answers', () => {
    // A prompt of ten tokens at 2 each, for each of the three, and tokens at 8 each.
    expect(sentences({ completed, cancelled: of(0, 3, 0, unreported(5, 100)) })[0]).toBe(
      `${hangUps}; if charged, 0.000100 for the tokens that came, at most 0.000860 for all that were asked for, with prompts as those of completed ones).`,
    );
    expect(sentences({ completed, cancelled: of(0, 3, 0, unreported(5, 100, 1)) })[0]).toBe(
      `${hangUps}; if charged, 0.000100 for the tokens that came, more if the server went on, with prompts as those of completed ones).`,
    );
    expect(sentences({ cancelled: of(0, 3, 0, unreported(5, 100)) })[0]).toBe(
      `${hangUps}; if charged, 0.000040 for the tokens that came, at most 0.000800 for all that were asked for, and the prompts).`,
    );
    expect(sentences({ cancelled: of(0, 3, 0) })[0]).toBe(`${hangUps}).`);
    expect(sentences({ cancelled: of(0, 3, 0, unreported(5, 100)) }, null)[0]).toBe(`${hangUps}).`);
  });

  it('is least with the cheaper kind of output, and most with the dearer, and no cache', () => {
    const cached = { ...tokens, cachedInput: 20 };
    const bills = {
      completed: of(2, 0, 10, { tokens: cached }),
      cancelled: of(0, 1, 0, unreported(10, 100)),
    };
    const partOf = (own: Prices) => billParts(billed(bills, own))!.at(-1)!.bounds;
    // A prompt costs 10 from the cache, else 20, or 30 if it is written to it.
    const dear = { ...price, cachedInput: 1_000_000, reasoning: 9_000_000 };
    expect(partOf(dear)).toEqual({ least: 80 + 10, most: 900 + 20, prompts: 'all' });
    const written = { ...dear, cacheWrite: 3_000_000 };
    expect(partOf(written)).toEqual({ least: 90, most: 900 + 30, prompts: 'all' });
  });

  it('adds bounds up, and knows none if one is unknown', () => {
    const part = (bounds: BillPart['bounds'], unknown = 1): BillPart => ({
      ...billParts(billed({ failed: of(0, unknown, 0) }))![0]!,
      bounds,
    });
    const [a, b] = [
      { least: 1, most: 10, prompts: 'all' },
      { least: 2, most: 20, prompts: 'none' },
    ] as const;
    expect(addBounds([])).toBeNull();
    expect(addBounds([part(a, 0)])).toBeNull();
    expect(addBounds([part(a), part(null, 0), part(a)])).toEqual({
      least: 2,
      most: 20,
      prompts: 'all',
    });
    expect(addBounds([part(a), part(b)])).toEqual({ least: 3, most: 30, prompts: 'some' });
    expect(addBounds([part(a), part({ ...b, most: null })])?.most).toBeNull();
    expect(addBounds([part(a), part(null), part(b)])).toBeNull();
    expect(sentences({ failed: of(0, 1, 0, unreported(1, 2)) }, null)).toHaveLength(1);
  });
});

describe('the cache in a bill', () => {
  const cacheOf = (own: Partial<typeof tokens>, prices: Prices): readonly string[] =>
    sentences({ completed: of(1, 0, 0, { tokens: { ...tokens, ...own } }) }, prices).filter(
      (line) => line.includes('priced prompt tokens'),
    );

  it('saved, or cost more than it saved', () => {
    const prices = { ...price, cachedInput: 500_000, cacheWrite: 2_500_000 };
    // 100 tokens saved 1.5 each; each written one cost 0.5 more.
    expect(
      cacheOf({ input: 50, cachedInput: 100, cacheWrite: 20, audioInput: 30 }, prices),
    ).toEqual(['50.0 % of the priced prompt tokens came from a cache, which saved 0.000140.']);
    expect(cacheOf({ cachedInput: 1, cacheWrite: 99 }, prices)).toEqual([
      '1.0 % of the priced prompt tokens came from a cache, which cost 0.000048 more than it saved.',
    ]);
    expect(cacheOf({ input: 50, output: 9 }, prices)).toEqual([]);
  });

  it('saved nothing if cached tokens have no separate price', () => {
    expect(cacheOf({ input: 1, cachedInput: 1 }, price)).toEqual([
      '50.0 % of the priced prompt tokens came from a cache, which saved 0.000000. 1 cached token cost as much as other input, since the price has no `cachedInput`.',
    ]);
  });
});

describe('the bill', () => {
  it('names each item, in order, and its rounding', () => {
    const all = {
      ...tokens,
      reasoning: 1,
      audioOutput: 1,
      output: 1,
      audioInput: 1,
      cacheWrite: 1,
    };
    const bills = { completed: of(2, 0, 100, { tokens: { ...all, cachedInput: 1, input: 1000 } }) };
    const lines = words(billed(bills, { ...price, request: 5 })).map((line) =>
      line.replaceAll(/ {2,}/g, '|'),
    );
    expect(lines.slice(lines.indexOf('Charged for|Tokens|Cost'))).toEqual([
      'Charged for|Tokens|Cost',
      'Input tokens|1,000|0.002000',
      'Input tokens from a cache|1|0.000002',
      'Input tokens written to a cache|1|0.000002',
      'Input tokens of audio|1|0.000002',
      'Output tokens|1|0.000008',
      'Reasoning tokens|1|0.000008',
      'Output tokens of audio|1|0.000008',
      'Requests|–|0.000010',
      'Rounding of each answer|–|−0.001940',
      'All|–|0.000100',
    ]);
  });

  it('of speech and transcriptions has one item each', () => {
    const result = billed({});
    const group = result.groups[0]!;
    const parts = (['transcription', 'speech', 'models'] as const).map((traffic) => ({
      ...group,
      labels: { ...group.labels, traffic },
      bills: { completed: of(1, 0, 7) },
    }));
    expect(billItems(billParts({ ...result, groups: parts })!)).toEqual([
      { item: 'speech', tokens: null, cost: 7 },
      { item: 'transcription', tokens: null, cost: 7 },
    ]);
  });

  it('has a month of the measured time, and where prices come from', () => {
    const linesOf = (bills: Bills, pricing = {}) =>
      words(billed(bills, price, pricing)).filter((line) => /^(A month|Prices)/.test(line));
    // A millionth each second, over 50 s: 2.592 in 30 days.
    expect(linesOf({ completed: of(9, 0, 50) })).toEqual([
      'A month of 30 days like the measured time: about 2.59 currency units.',
    ]);
    expect(linesOf({ completed: of(9, 1, 50) }, { currency: 'EUR', date: '2026-01-02' })).toEqual([
      'A month of 30 days like the measured time: at least 2.59 EUR (unknown for 1 of 10).',
      'Prices: as of 2026-01-02.',
    ]);
    expect(linesOf({ completed: of(0, 1, 0) }, { file: 'p.json' })).toEqual([
      'Prices of p.json: without a date.',
    ]);
    const result = billed({ completed: of(1, 0, 5) });
    const warm = { ...result.groups[0]!, labels: { ...result.groups[0]!.labels, warmUp: true } };
    const parts = billParts({ ...result, groups: [warm] })!;
    expect(costOfMonth(result, parts)).toBeNull();
    expect(currencyOf(result)).toBe('currency units');
    expect([roughMoneyText(1_234_567_890), roughMoneyText(12)]).toEqual(['1,230', '0.000012']);
  });
});
