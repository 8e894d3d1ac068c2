import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlan } from '../../run/input/read-plan.ts';
import { findAuditFacts, openDirectTarget } from './audit-facts.ts';
import type { CheckSettings } from './check-settings.ts';
import { checkTable } from './suite/check-table.ts';
import { namedChecks } from './suite/named-checks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-audit-'));
});
afterAll(() => rm(folder, { recursive: true }));

const environment = { K: 'none' };
const usage = namedChecks.filter(({ topic }) => topic === 'usage');
const settings = {
  target: undefined,
  key: undefined,
  set: [],
  noCost: false,
  timeout: undefined,
} as unknown as CheckSettings;

const synthetic = { tokens: 10, tokenizer: 'r50k_base' };
const whole = {
  name: 'audited',
  target: 'http://127.0.0.1:9/v1',
  keys: [{ name: 'first', key: '${env:K}' }],
  traffic: [
    { kind: 'models' },
    { kind: 'chat', model: 'other', prompt: 'hi', maxTokens: 3 },
    { kind: 'chat-stream', model: 'm', prompt: 'hi', maxTokens: 4 },
  ],
  load: { kind: 'constant', rate: '3/s', duration: '60s' },
  prices: { m: { input: 10, output: 20 } },
  warmUp: '0s',
};

let files = 0;
const factsOf = async (
  changes: object = {},
  given: Partial<CheckSettings> = {},
  { chat = 'm', checks = usage }: { chat?: string | null; checks?: typeof usage } = {},
) => {
  const scenario = join(folder, `${(files += 1)}.json`);
  await writeFile(scenario, JSON.stringify({ ...whole, ...changes }));
  const read = await readPlan({ scenario, flags: {}, set: [], target: undefined }, environment);
  const found = await findAuditFacts(checks, { ...settings, scenario, ...given }, read, chat);
  const { tokenizer, ...known } = found.known;
  return { ...found, known, tokens: tokenizer?.count('Hello world') ?? null };
};

describe('what is known before an audit of usage', () => {
  it('is nothing without a check that audits it', async () => {
    const others = [...checkTable, ...namedChecks.filter(({ topic }) => topic !== 'usage')];
    expect(await factsOf({}, {}, { checks: others })).toEqual({
      known: {},
      month: {},
      tokens: null,
    });
  });

  it('is the tokenizer, the price and a month of the load of the model', async () => {
    const traffic = whole.traffic.map((entry) =>
      entry.model === 'm' ? { ...entry, prompt: synthetic } : entry,
    );
    expect(await factsOf({ traffic }, { directModel: 'there' })).toMatchInlineSnapshot(`
      {
        "known": {
          "directChat": "there",
          "price": {
            "input": 10000000,
            "output": 20000000,
          },
        },
        "month": {
          "month": {
            "currency": "currency units",
            "input": 21168000,
            "output": 8467200,
            "prices": {
              "input": 10000000,
              "output": 20000000,
            },
            "requests": 2116800,
          },
        },
        "tokens": 2,
      }
    `);
  });

  it('is nothing for a model without its own prompts and without a price', async () => {
    expect(await factsOf({}, {}, { chat: 'other' })).toEqual({
      known: {},
      month: {},
      tokens: null,
    });
    expect(await factsOf({}, {}, { chat: null })).toEqual({ known: {}, month: {}, tokens: null });
  });

  it('has no month without a scenario', async () => {
    const { month, known } = await factsOf({}, { scenario: undefined });
    expect(month).toEqual({});
    expect(known.price).toEqual({ input: 10_000_000, output: 20_000_000 });
  });

  it('has the currency of the prices', async () => {
    const { month } = await factsOf({ prices: { currency: 'EUR', ...whole.prices } });
    expect(month.month?.currency).toBe('EUR');
  });

  it('is the tokenizer that was named first of all', async () => {
    const { tokens } = await factsOf({}, { tokenizer: 'r50k_base' }, { chat: 'other' });
    expect(tokens).toBe(2);
    await expect(factsOf({}, { tokenizer: 'gpt' })).rejects.toThrow(
      /^--tokenizer: expected the path of a tokenizer\.json, or one of .*o200k_base.*; got gpt$/,
    );
    const missing = join(folder, 'missing.json');
    await expect(factsOf({}, { tokenizer: missing })).rejects.toThrow(
      `${missing} cannot be read: `,
    );
    const empty = join(folder, 'empty.json');
    await writeFile(empty, '{}');
    await expect(factsOf({}, { tokenizer: empty })).rejects.toThrow(empty);
  });
});

describe('the address without the gateway', () => {
  it('is none unless it is named', async () => {
    expect(await openDirectTarget(settings, environment)).toBe(null);
  });

  it.each(['mock', 'ftp://host', 'host/v1'])('is not %s', async (direct) => {
    await expect(openDirectTarget({ ...settings, direct }, environment)).rejects.toThrow(
      `--direct: expected a base address, such as https://host/v1; got ${direct}`,
    );
  });

  it('has its own key, or else that of the gateway', async () => {
    const direct = 'http://127.0.0.1:9/v1';
    const open = (given: Partial<CheckSettings>) =>
      openDirectTarget({ ...settings, direct, preflight: false, ...given }, { K: 'k', D: 'd' });
    const keyOf = async (given: Partial<CheckSettings>) =>
      (await open(given))!.credentials.map(({ value }) => value);
    expect(await keyOf({ key: 'K', directKey: 'D' })).toEqual(['d']);
    expect(await keyOf({ key: 'K' })).toEqual(['k']);
    await expect(open({ key: 'NONE' })).rejects.toThrow('--key: the environment variable NONE');
  });
});
