// @long 10 s
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { selectChecks } from '../../verbs/check/check-settings.ts';
import { openTokenizer } from '../../platform/files/tokenizers.ts';
import { checkQuietly } from './check-quietly.fixture.ts';
import { type DefectiveGateway, openDefectiveGateway } from './defective-gateway.fixture.ts';
import { cacheForms, honestUsages, joiningTokenizer } from './honest-usage.fixture.ts';
import {
  auditFindings,
  changeUsage,
  contentOf,
  isShort,
  usageLies,
} from './usage-audit.fixture.ts';
import { serverTools, showServerTool } from './server-tools.fixture.ts';

describe('the audit of usage', () => {
  let gateway: DefectiveGateway;
  beforeAll(async () => {
    gateway = await openDefectiveGateway();
  });
  afterAll(() => gateway.close());

  it.each(usageLies)('finds $what, with its bound', async ({ change, text, check, observed }) => {
    await gateway.show({ answer: changeUsage(change, text) });
    const report = await checkQuietly(gateway.url, { only: 'usage' });
    const row = report.rows.find(({ id }) => id === `usage.${check}`);
    expect(row?.observed).toContain(observed);
    expect(['violation', 'deviation']).toContain(row?.outcome);
    // A total and a cost are no counts of tokens, so that their sentences have the bound.
    if (['total', 'cached'].includes(check)) return;
    const { reported, least, most } = row!.bounds!;
    expect(reported < least || reported > most).toBe(true);
  });

  it.each(honestUsages)('reports nothing of $what', async ({ change, text }) => {
    await gateway.show({ answer: changeUsage(change, text) });
    const report = await checkQuietly(gateway.url, { only: 'usage' });
    expect(auditFindings(report)).toEqual([]);
    expect(gateway.changed()).toBeGreaterThan(0);
  });

  it.each(cacheForms)('says of $what only that', async ({ change, observed }) => {
    await gateway.show({ answer: changeUsage(change) });
    const report = await checkQuietly(gateway.url, { only: 'usage' });
    expect(auditFindings(report)).toEqual([`usage.repeated: ${observed}`]);
    expect(report.rows.find(({ id }) => id === 'usage.repeated')?.outcome).toBe('deviation');
  });

  it('finds a constant of 12 tokens if the model is asked without the gateway, too', async () => {
    const honest = await openDefectiveGateway();
    const add = usageLies.find(({ what }) => what.startsWith('a constant'))!;
    await gateway.show({
      answer: changeUsage((given) => ({
        ...given.usage,
        prompt_tokens: given.usage.prompt_tokens + 12,
      })),
    });
    const alone = await checkQuietly(gateway.url, { only: 'usage' });
    const report = await checkQuietly(gateway.url, { only: 'usage', direct: honest.url });
    await honest.close();
    expect(add.check).toBe('template');
    expect(auditFindings(alone)).toEqual([]);
    expect(auditFindings(report)).toEqual([
      expect.stringMatching(
        /^usage.direct: usage-long: 1313 prompt tokens through the gateway, and 1301 without it; results of a tool .* a web search/,
      ),
    ]);
  });

  it('finds cached tokens that the gateway does not pass on', async () => {
    const limits = { requestsPerMinute: 1000, charging: { reportsCached: true } };
    const direct = await openDefectiveGateway({ limits });
    await gateway.show(null);
    const report = await checkQuietly(gateway.url, { only: 'usage', direct: direct.url });
    await direct.close();
    expect(auditFindings(report)).toEqual([
      expect.stringMatching(
        /^usage.direct: no cached tokens through the gateway, and 1\d{3} without it$/,
      ),
    ]);
  });

  it('counts by the tokenizer of the model where it is named', async () => {
    const twice = usageLies.find(({ what }) => what === 'every token counted twice')!;
    await gateway.show({ answer: changeUsage(twice.change) });
    const report = await checkQuietly(gateway.url, { only: 'usage', tokenizer: 'o200k_base' });
    expect(report.rows.find(({ id }) => id === 'usage.words')).toMatchObject({
      outcome: 'violation',
      bounds: { of: 'input', reported: 2, least: 1, most: 1 },
    });
  });

  it('counts by a tokenizer that joins words where it is named', async () => {
    await using own = await mkdtempDisposable(join(tmpdir(), 'weir-audit-'));
    const tokenizer = join(own.path, 'tokenizer.json');
    await writeFile(tokenizer, JSON.stringify(joiningTokenizer));
    const counter = openTokenizer(tokenizer, tokenizer);
    if (typeof counter === 'string') throw new Error(counter);
    for (const [factor, found] of [
      [1, []],
      [1.04, [expect.stringMatching(/^usage.growth: reported \d+ .*, and 51 by the tokenizer$/)]],
    ] as const) {
      await gateway.show({
        answer: changeUsage(({ usage, chat }) => {
          const text = chat.messages.map(({ content }) => content).join('');
          return { ...usage, prompt_tokens: Math.round(counter.count(text) * factor) + 9 };
        }),
      });
      const report = await checkQuietly(gateway.url, { only: 'usage', tokenizer });
      expect(auditFindings(report)).toEqual(found);
    }
  });

  it.each(serverTools)('decides nothing of tokens where an answer shows $what', async (tool) => {
    await gateway.show({ answer: showServerTool(tool) });
    const { rows } = await checkQuietly(gateway.url, { only: 'usage' });
    expect(gateway.changed()).toBeGreaterThan(0);
    const found = Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]));
    expect(new Set(Object.values(found))).toEqual(new Set(['unchecked']));
    const reason = `the server ran a tool (${tool.field})`;
    expect(rows.filter(({ observed }) => observed.includes(reason)).length).toBeGreaterThan(8);
  });

  it('names hidden tools where more tokens come than text or prompt can have', async () => {
    const searched = changeUsage(
      ({ usage, chat }) => ({
        ...usage,
        prompt_tokens: usage.prompt_tokens + 2000 + (contentOf(chat).length % 97),
        completion_tokens: isShort(chat) ? 182 : usage.completion_tokens,
      }),
      (chat) => (isShort(chat) ? 'Yes.' : null),
    );
    await gateway.show({ answer: searched });
    const findings = auditFindings(await checkQuietly(gateway.url, { only: 'usage' }));
    const named = findings.filter((each) => each.includes('a tool that the server ran'));
    expect(named.map((each) => each.split(':')[0])).toEqual(['usage.growth', 'usage.text']);
  });

  it('reads the price, the tokenizer and the load of a month from the scenario', async () => {
    const cached = usageLies.find(({ check }) => check === 'cached')!;
    await gateway.show({ answer: changeUsage(cached.change) });
    await using own = await mkdtempDisposable(join(tmpdir(), 'weir-audit-'));
    const scenario = join(own.path, 'audited.json');
    const entry = {
      kind: 'chat',
      model: 'weir/small',
      prompt: { tokens: 500, tokenizer: 'o200k_base' },
      maxTokens: 200,
    };
    await writeFile(
      scenario,
      JSON.stringify({
        name: 'audited',
        target: gateway.url,
        prices: { currency: 'EUR', 'weir/small': { input: 1, cachedInput: 0.1, output: 4 } },
        traffic: [entry],
        load: { kind: 'constant', rate: '2/s', duration: '30s' },
      }),
    );
    const report = await checkQuietly(gateway.url, { only: 'usage', scenario, target: undefined });
    expect(auditFindings(report)).toEqual([
      'usage.cached: usage-again: cost 0.001365 is named, and 0.000443 by your prices: 1024 cached tokens are billed as others',
    ]);
    // 30 days of 2 requests a second.
    expect(report.month).toMatchObject({
      requests: 5_184_000,
      input: 5_184_000 * 500,
      output: 5_184_000 * 200,
      currency: 'EUR',
    });
  });

  const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
  const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}';
  it.each([
    ['deep', `{"choices":[{"message":{"content":${deep}}}],${usage}}`],
    ['a text in place of usage', '{"choices":[{"message":{"content":"a"}}],"usage":"none"}'],
    ['huge counts', '{"choices":[{}],"usage":{"prompt_tokens":1e308,"completion_tokens":-1}}'],
    ['texts as counts', '{"choices":[{}],"usage":{"prompt_tokens":"7","completion_tokens":"a"}}'],
    ['a list', '[]'],
    ['no choices', `{${usage},"model":{"a":1},"choices":null}`],
    ['control characters', `{"choices":[],${usage},"model":"\\u001b[31m\\u202e"}`],
    ['odd probabilities', `{"choices":[{"logprobs":{"content":{"length":9}}}],${usage}}`],
  ])('answers with %s end in a report that is valid', async (_, body) => {
    await gateway.show({
      answer: (before, { path }) =>
        path.endsWith('/chat/completions') ? { ...before, body: Buffer.from(body) } : before,
    });
    const report = await checkQuietly(gateway.url, { only: 'usage' });
    expect(checkReportSchema.parse(report)).toEqual(report);
    expect(/[\u001b\u202e]/.test(JSON.stringify(report))).toBe(false);
  });

  it('names the limit of tokens as reasoning models want it where max_tokens is refused', async () => {
    const refusal = { error: { message: 'use max_completion_tokens', type: 'a', code: 'b' } };
    await gateway.show({
      answer: (before, { body }) =>
        body.includes('"max_tokens"')
          ? { ...before, status: 400, body: Buffer.from(JSON.stringify(refusal)) }
          : before,
    });
    const { rows } = await checkQuietly(gateway.url, { only: 'usage' });
    const left = rows.filter(({ outcome }) => !['pass', 'open'].includes(outcome));
    expect(left.map(({ id }) => id)).toEqual(['usage.direct']);
  });

  it('is made only if it is named', () => {
    const none = {
      profile: undefined,
      only: undefined,
      skip: undefined,
      noCost: false,
      timeout: undefined,
    };
    const topics = (only?: string): readonly string[] => [
      ...new Set(selectChecks({ ...none, only }).checks.map(({ topic }) => topic)),
    ];
    expect(topics()).not.toContain('usage');
    expect(topics('usage')).toEqual(['usage']);
    expect(topics('usage.growth,streams').toSorted()).toEqual(['streams', 'usage']);
  });
});
