import { describe, expect, it } from 'vitest';
import type { Bills } from '../../model/measures/bill.ts';
import type { Result } from '../../model/result/result.ts';
import { runBillCsv } from './bill-csv.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { addCosts, billItems, billParts, costOfMonth } from './bill.ts';
import { costSection } from './cost.ts';

const tokens = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  audioInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
};

/** The price of a million tokens in millionths: 2 for input, 0.5 from a cache, 8 for output, and 0.001 a request. */
const price = { input: 2_000_000, cachedInput: 500_000, output: 8_000_000, request: 1000 };

/** The sample's streams under its two keys, with these bills for all groups of a key. */
const billed = (byKey: Readonly<Record<string, Bills>>, own: object = price): Result => {
  const result = sampleRunResult();
  const seen = new Set<string>();
  const groups = result.groups
    .filter(({ labels }) => labels.traffic === 'chat-stream' && !labels.warmUp)
    .filter(({ labels: { key } }) => !seen.has(key) && seen.add(key))
    .map((group) => ({ ...group, bills: byKey[group.labels.key] ?? {} }));
  const stages = result.plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((entry) =>
      entry.kind === 'chat-stream' ? { ...entry, price: own as typeof price } : entry,
    ),
  }));
  const pricing = { currency: 'USD', date: '2026-11-01', file: 'prices.json' };
  return { ...result, groups, plan: { ...result.plan, stages, pricing } };
};

const alpha: Bills = {
  completed: {
    known: 3,
    unknown: 1,
    // 600 × 2 + 400 × 0.5 + 100 × 8 + 3 requests, less a millionth by rounding.
    cost: 5199,
    tokens: { ...tokens, input: 600, cachedInput: 400, output: 100 },
  },
  failed: { known: 1, unknown: 2, cost: 1208, tokens: { ...tokens, input: 100, output: 1 } },
  retried: { known: 0, unknown: 4, cost: 0 },
  cancelled: {
    known: 0,
    unknown: 3,
    cost: 0,
    unreported: { received: 15, asked: 300, unlimited: 0 },
  },
};
const beta: Bills = {
  completed: { known: 1, unknown: 0, cost: 1800, tokens: { ...tokens, output: 50, reasoning: 50 } },
};
const result = billed({ alpha, beta });
const parts = billParts(result)!;

describe('the bill of a run', () => {
  it('adds up: its items and what rounding changed are the cost of all fates', () => {
    const items = billItems(parts);
    expect(addCosts(parts)).toEqual({ known: 5, unknown: 10, cost: 8207 });
    expect(items).toEqual([
      { item: 'input', tokens: 700, cost: 1400 },
      { item: 'cachedInput', tokens: 400, cost: 200 },
      { item: 'output', tokens: 151, cost: 1208 },
      { item: 'reasoning', tokens: 50, cost: 400 },
      { item: 'request', tokens: null, cost: 5000 },
      { item: 'rounding', tokens: null, cost: -1 },
    ]);
    expect(items.reduce((sum, { cost }) => sum + cost, 0)).toBe(8207);
  });

  it('has the price of a request in its bounds, also where no such answer completed', () => {
    const { completed: _, ...uncompleted } = alpha;
    const [part] = billParts(billed({ alpha: uncompleted }))!.filter(({ bounds }) => bounds);
    // 15 tokens of 8, at most 300, and three requests of a thousandth.
    expect(part!.bounds).toEqual({ least: 3120, most: 5400, prompts: 'none' });
  });

  it('says what a month of the measured load costs', () => {
    // The sample measures 50 s.
    expect(costOfMonth(result, parts)!.cost).toBeCloseTo((8207 / 50) * 2_592_000, 3);
  });

  it('knows what the cache saved, and which price it lacks', () => {
    expect(parts[0]!.saved).toBe(600);
    const { cachedInput: _, ...full } = price;
    const [part] = billParts(billed({ alpha }, full))!;
    expect([part!.saved, part!.fullPriceCached]).toEqual([0, 400]);
  });

  it('is unknown for results of older versions', () => {
    expect(billParts(sampleRunResult())).toBeNull();
    expect(runBillCsv(sampleRunResult())).toMatch(/^key,model,.*\r\n$/);
  });

  it('stands in the report, where nothing unknown counts as nothing', () => {
    const document = { weir: '1', title: 't', blocks: [costSection(result)!], footer: '' };
    expect(terminalText(document, { colour: false, width: 100 })).toMatchInlineSnapshot(`
      "t

      What did it cost?
        441 completed answers cost 0.014128 USD.
        Wasted, beside the completed answers: answers that failed: at least 0.001208 (unknown for 2 of 3),
        attempts before a retry: unknown (unknown for 4 of 4), hang-ups: unknown (unknown for 3 of 3; if
        charged, 0.004520 for the tokens that came, at most 0.007400 for all that were asked for, with
        prompts as those of completed ones).
        36.4 % of the priced prompt tokens came from a cache, which saved 0.000600.
        A month of 30 days like the measured time: at least 425 USD (unknown for 10 of 15).
        Prices of prices.json: as of 2026-11-01.
        Key                 Cost          Completed             Wasted
        alpha  at least 0.006407  at least 0.005199  at least 0.001208
        beta            0.001800           0.001800                  –
        Charged for                Tokens       Cost
        Input tokens                  700   0.001400
        Input tokens from a cache     400   0.000200
        Output tokens                 151   0.001208
        Reasoning tokens               50   0.000400
        Requests                        –   0.005000
        Rounding of each answer         –  −0.000001
        All                             –   0.008207
        Kind and model             Cost    n
        chat-stream (m-large)  0.014128  441
        All                    0.014128  441
        Completed answers of the whole run including the warm-up, with the interface’s constants and the
        scenario’s prices, each answer rounded to a millionth of a currency unit. A cost is unknown if the
        scenario names no price, or none for so long a prompt, the server reports no usage, or the length
        of a clip cannot be read. What failed answers and attempts before a retry cost is added up apart,
        as far as the server reported it; refused requests cost nothing."
    `);
  });

  it('is a table for spreadsheets whose costs add up', () => {
    const [head, ...lines] = runBillCsv(result).trim().split('\r\n');
    const costAt = head!.split(',').indexOf('cost');
    const sum = lines.reduce((whole, line) => whole + Number(line.split(',')[costAt]), 0);
    expect(Math.round(sum * 1e6)).toBe(8207);
    expect(lines).toMatchInlineSnapshot(`
      [
        "alpha,m-large,chat-stream,false,completed,input,600,0.0012,USD,3,1,,,",
        "alpha,m-large,chat-stream,false,completed,cachedInput,400,0.0002,USD,,,,,",
        "alpha,m-large,chat-stream,false,completed,output,100,0.0008,USD,,,,,",
        "alpha,m-large,chat-stream,false,completed,request,,0.003,USD,,,,,",
        "alpha,m-large,chat-stream,false,completed,rounding,,-0.000001,USD,,,,,",
        "alpha,m-large,chat-stream,false,failed,input,100,0.0002,USD,1,2,,,",
        "alpha,m-large,chat-stream,false,failed,output,1,0.000008,USD,,,,,",
        "alpha,m-large,chat-stream,false,failed,request,,0.001,USD,,,,,",
        "alpha,m-large,chat-stream,false,retried,unknown,,,USD,0,4,,,",
        "alpha,m-large,chat-stream,false,cancelled,unknown,,,USD,0,3,0.00452,0.0074,all",
        "beta,m-large,chat-stream,false,completed,output,50,0.0004,USD,1,0,,,",
        "beta,m-large,chat-stream,false,completed,reasoning,50,0.0004,USD,,,,,",
        "beta,m-large,chat-stream,false,completed,request,,0.001,USD,,,,,",
      ]
    `);
  });
});
