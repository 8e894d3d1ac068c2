import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type CacheCommand, examinePromptCache, waitAfter } from './cache.ts';
import { cacheReportSchema } from './model/cache-report.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-cache-'));
  return () => rm(folder, { recursive: true });
});

interface Chat {
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly messages: readonly { readonly content: string }[];
}

/** A server that keeps each prompt for ever, unless `answer` answers otherwise. */
const openServer = async (
  answer: (count: number, chat: Chat) => readonly [status: number, body: string] | null,
): Promise<string> => {
  const kept = new Set<string>();
  let count = 0;
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST') {
      response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
      return;
    }
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const chat = JSON.parse(text) as Chat;
      const [{ content }] = chat.messages as [Chat['messages'][number]];
      const begin = content.slice(0, content.indexOf(' That was'));
      const cached = kept.has(begin) ? begin.split(' ').length : 0;
      const [status, body] = answer((count += 1), chat) ?? [
        200,
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          choices: [
            { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'length' },
          ],
          usage: {
            prompt_tokens: content.split(' ').length,
            completion_tokens: 1,
            total_tokens: content.split(' ').length + 1,
            prompt_tokens_details: { cached_tokens: cached },
          },
        }),
      ];
      if (status === 200) kept.add(begin);
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const command: CacheCommand = {
  scenario: undefined,
  target: undefined,
  set: [],
  key: undefined,
  secondKey: undefined,
  model: undefined,
  preflight: true,
  longest: '2s',
  tokens: '5000',
  yes: true,
  out: undefined,
};

const examine = (
  target: string,
  changes: Partial<CacheCommand> = {},
  fake = fakeHost({ WEIR_API_KEY: 'sk-secret' }),
) => {
  const out = join(folder, 'out');
  const exit = examinePromptCache({ ...command, target, out, ...changes }, fake.host);
  const read = async () => {
    const text = await readFile(join(out, 'cache.json'), 'utf8');
    expect(text).not.toContain('sk-secret');
    expect(await readFile(join(out, 'cache.html'), 'utf8')).toContain('Prompt cache of');
    return cacheReportSchema.parse(JSON.parse(text));
  };
  return { ...fake, exit, read };
};

const prices = JSON.stringify({
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 1 }],
  prices: { m: { input: 1000, output: 1 } },
  load: { kind: 'constant', rate: '1/s', duration: '1s' },
});

describe('weir cache', () => {
  it('says its budget, spends no more of it, and reports what it has seen', async () => {
    const scenario = join(folder, 'scenario.yaml');
    await writeFile(scenario, prices);
    const target = await openServer(() => null);
    const { exit, read, said, printed, listed } = examine(target, { scenario });
    expect(await exit).toBe('pass');
    // 5,000 tokens at a thousand for a million.
    expect(said).toContain(
      `${target}, model m. Budget: at most 5,000 tokens (5.000000 of your currency) in at most 316 requests; 6 s of waiting at most, beside the answers and what the key’s limits hold back.`,
    );
    const report = await read();
    expect(report).toMatchObject({
      target,
      model: 'm',
      seenBy: 'reported',
      stopped: 'the budget of tokens is spent',
    });
    const { spent, cachedTokens, promptTokens } = report;
    expect(cachedTokens! / promptTokens!).toBeGreaterThan(0.9);
    expect(spent.tokens).toBeGreaterThan(1000);
    expect(spent.tokens).toBeLessThanOrEqual(5000);
    expect(spent.cost).toBe(1000 * spent.tokens);
    expect(JSON.parse(printed[0]!.json!)).toEqual(report);
    expect(printed[0]).toMatchObject({ isGood: true });
    expect(listed.join('\n')).toContain(join(folder, 'out/cache.html'));
  });

  it('uses the name of the limit of tokens that a server wants, and ends when it is stopped', async () => {
    const names = new Set<string>();
    const fake = fakeHost({ WEIR_API_KEY: 'k' });
    const target = await openServer((count, chat) => {
      names.add(String(chat.max_completion_tokens ?? 'max_tokens'));
      if (chat.max_tokens !== undefined)
        return [400, '{"error":{"message":"use max_completion_tokens"}}'];
      if (count !== 4) return null;
      // The key has no room for a minute: the wait ends as the user stops it.
      fake.stop('SIGTERM');
      return [429, '{"error":{"message":"wait"}}'];
    });
    const { exit, read } = examine(target, {}, fake);
    expect(await exit).toBe('terminated');
    expect([...names]).toEqual(['max_tokens', '1']);
    expect((await read()).stopped).toBe('stopped by the user');
    expect(fake.said).toContain('stopping: what was seen so far will be reported');
  });

  it('waits as the text of a refusal says, where no header does', async () => {
    let refused = 0;
    let waited = 0;
    const target = await openServer((count) => {
      if (count === 3) waited = performance.now() - refused;
      if (count !== 2 || refused > 0) return null;
      refused = performance.now();
      return [429, '{"error":{"message":"Please try again in 300ms."}}'];
    });
    const { exit, read } = examine(target);
    expect(await exit).toBe('pass');
    expect(refused).toBeGreaterThan(0);
    expect(waited).toBeGreaterThanOrEqual(295);
    expect((await read()).stopped).toBe('the budget of tokens is spent');
  });

  it('tries a limited key three times more, each after a quarter of a second at least', async () => {
    const times: number[] = [];
    const target = await openServer(() => {
      times.push(performance.now());
      return [429, '{"error":{"message":"Please try again in 0ms."}}'];
    });
    const { exit, read } = examine(target);
    expect(await exit).toBe('empty');
    expect((await read()).stopped).toBe('a chat was answered with status 429');
    expect(times).toHaveLength(4);
    for (const [i, time] of times.slice(1).entries())
      expect(time - times[i]!).toBeGreaterThanOrEqual(245);
  });

  it('says why it ended where chats fail', async () => {
    const target = await openServer(() => [500, '{"error":{"message":"no"}}']);
    const { exit, read, printed } = examine(target);
    expect(await exit).toBe('empty');
    expect(await read()).toMatchObject({
      stopped: 'a chat was answered with status 500',
      seenBy: null,
      spent: { tokens: 0, cost: null },
    });
    expect(printed[0]).toMatchObject({ isGood: false });
  });

  it.each<readonly [Partial<CacheCommand>, string]>([
    [{ tokens: '999' }, '--tokens: expected a number of at least 1000; got 999'],
    [{ tokens: '2k' }, '--tokens: expected a number of at least 1000; got 2k; write 2000'],
    [{ longest: '1999ms' }, '--longest: expected '],
    [{ yes: false }, 'this budget needs a confirmation'],
  ])('is refused before a chat: %j', async (changes, message) => {
    let chats = 0;
    const target = await openServer(() => {
      chats += 1;
      return null;
    });
    await expect(examine(target, changes).exit).rejects.toThrow(message);
    expect(chats).toBe(0);
  });
});

it('waits after a refusal as long as is named, between a quarter of a second and 65 s, and else for 65 s', () => {
  expect([0, 249, 251, 64_999, 65_001].map((wait) => waitAfter({ wait }))).toEqual([
    250, 250, 251, 64_999, 65_000,
  ]);
  expect(waitAfter(null)).toBe(65_000);
});
