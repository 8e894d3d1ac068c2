import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type CacheReport, cacheReportSchema } from '../../verbs/cache/model/cache-report.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Runs `weir cache` and returns its exit code, what it printed, and its report. */
const examined = async (...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const ended = await weir(['cache', ...words, '--yes', '--out', out], { WEIR_API_KEY: 'k' });
  const report = JSON.parse(await readFile(join(out, 'cache.json'), 'utf8')) as CacheReport;
  expect(cacheReportSchema.parse(report)).toEqual(report);
  expect(await readFile(join(out, 'cache.html'), 'utf8')).toContain('Prompt cache of');
  return { ...ended, report };
};

const mock = (settings: readonly string[], ...words: readonly string[]) =>
  examined(
    '--target',
    'mock',
    '--longest',
    '2s',
    ...words,
    ...['limits.requestsPerMinute=none', 'limits.tokensPerMinute=none', ...settings].flatMap(
      (each) => ['--set', `mock.${each}`],
    ),
  );

it('sees the cache of the reference gateway by what it reports, within its budget', async () => {
  const reported = ['limits.charging.reportsCached=true', 'ttft=10ms'];
  const { code, report, stdout, stderr } = await mock(reported, '--tokens', '40000');
  expect(code).toBe(0);
  expect(stderr + stdout).toContain('Budget: at most 40,000 tokens');
  const { promptTokens, cachedTokens, seenBy, age, spent } = report;
  expect(seenBy).toBe('reported');
  expect(cachedTokens! / promptTokens!).toBeGreaterThan(0.98);
  expect(age).toMatchObject({ lost: null });
  expect(age.kept).toBeGreaterThanOrEqual(2000);
  expect(spent.tokens).toBeLessThanOrEqual(40_000);
});

it('finds every prompt lost that the reference gateway was set to keep for a shorter time', async () => {
  const settings = ['limits.charging.reportsCached=true', 'ttft=5ms', 'promptCache.keeps=1s'];
  const { code, report } = await mock(settings, '--tokens', '40000');
  expect(code).toBe(0);
  expect(report.age.kept ?? 0).toBeLessThan(1000);
  const [younger, older] = [0, 1].map((side) =>
    report.repetitions.filter(({ age }) => Number(age > 1000) === side),
  );
  expect(older!.length).toBeGreaterThan(0);
  expect(older!.filter(({ hit }) => hit !== false)).toEqual([]);
  expect(younger!.filter(({ age, hit }) => age < 900 && hit !== true)).toEqual([]);
});

it('infers the cache of the reference gateway from its times', async () => {
  const { code, report, stdout } = await mock(['latency=large'], '--tokens', '16000');
  expect(code).toBe(0);
  // The budget has no room for a repetition after a time.
  expect(report.repetitions).toEqual([]);
  expect(stdout).toContain('A prompt is cached; how long was not seen');
  expect(report.seenBy).toBe('timed');
  expect(report.inferredShare!.high).toBeGreaterThan(0.98);
});

it('says that it cannot tell where neither usage nor times show a cache', async () => {
  const { code, report, stdout } = await mock(['ttft=10ms']);
  expect(code).toBe(13);
  expect(report.seenBy).toBe(null);
  expect(stdout).toContain('Cannot tell whether prompts are cached');
});

/** A server that keeps each prompt for a time, and wants the limit of tokens by the name that reasoning models have. */
const openServer = async (keeps: number): Promise<string> => {
  const kept = new Map<string, number>();
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST')
      return response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    return request.on('end', () => {
      if (!body.includes('max_completion_tokens')) {
        response.statusCode = 400;
        return response.end('{"error":{"message":"use max_completion_tokens","type":"t"}}');
      }
      const { messages } = JSON.parse(body) as { messages: readonly { content: string }[] };
      const text = messages[0]!.content;
      const begin = text.slice(0, text.indexOf(' That was'));
      const isHit = performance.now() < (kept.get(begin) ?? 0);
      kept.set(begin, performance.now() + keeps);
      const tokens = text.split(' ').length;
      const usage = {
        prompt_tokens: tokens,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: isHit ? tokens - 8 : 0 },
      };
      const message = { role: 'assistant', content: 'yes' };
      return response.end(
        JSON.stringify({ choices: [{ message, finish_reason: 'length' }], usage }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

it('finds how long a server keeps a prompt, and what it cost by the prices of a scenario', async () => {
  const target = await openServer(2000);
  const scenario = {
    target,
    prices: { m: { input: 2, output: 4 } },
    traffic: [{ kind: 'chat', model: 'm', prompt: 'hi' }],
    load: { kind: 'constant', rate: '1/s', duration: '1s' },
  };
  const file = await tempFile('priced.json', JSON.stringify(scenario));
  const words = [file, '--longest', '4s', '--tokens', '90000'];
  const { code, report, stderr } = await examined(...words);
  expect(code).toBe(0);
  expect(report.age.kept).toBeLessThan(2000);
  expect(report.age.kept).toBeGreaterThan(1500);
  expect(report.age.lost).toBeGreaterThanOrEqual(1990);
  expect(report.age.lost).toBeLessThan(2600);
  expect(report.spent.cost).toBe(report.spent.tokens * 2);
  expect(stderr).toContain('at most 90,000 tokens (0.18');
});
