import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

/** Verbs that examine a gateway write every file that they name, with the exit code of what they found. */

cleanUpAfterEach();

let mock: Mock;
beforeAll(async () => {
  const at = milliseconds(1);
  const limits = { requestsPerMinute: 6, tokensPerMinute: null, window: milliseconds(1000) };
  mock = await startMock({ ttft: at, gap: at, limits }, realClock());
});
afterAll(() => mock.close());

/** Runs a verb against the gateway, and reads what it has written. */
const written = async (...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const ended = await weir([...words, '--target', mock.url, '--yes', '--out', out], {
    WEIR_API_KEY: testKey(0),
    WEIR_SECOND_API_KEY: testKey(1),
  });
  const names = (await readdir(out)).toSorted();
  const textOf = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
  const texts = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await textOf(name)] as const)),
  );
  for (const name of names) expect(ended.stdout + ended.stderr, name).toContain(name);
  return { ...ended, names, texts };
};

const jsonIn = (text: string | undefined): unknown => JSON.parse(text ?? 'null');

it('weir limits writes its page, its data and its test cases', async () => {
  const words = ['--checks', 'even', '--window', '1s', '--set', 'limits.requestsPerMinute=6'];
  const { code, names, texts, stdout } = await written('limits', ...words);
  expect(names).toEqual(['limits.html', 'limits.json', 'limits.junit.xml']);
  expect(jsonIn(texts['limits.json'])).toMatchObject({
    format: 'limits/1',
    target: mock.url,
    model: 'weir/small',
    judgement: { verdict: 'undecided' },
    log: { declared: { requests: { limit: 6, window: 1000 } } },
  });
  expect(texts['limits.junit.xml']).toContain('classname="limits" name="even-pace (§ 8)');
  expect(texts['limits.html']).toContain('It is undecided whether 6 requests in 1 s are kept.');
  expect(stdout).toContain('It is undecided whether 6 requests in 1 s are kept.');
  expect(code).toBe(13);
});

it('weir cache writes its page and its data', async () => {
  const { code, names, texts } = await written('cache', '--tokens', '1000', '--longest', '2s');
  expect(names).toEqual(['cache.html', 'cache.json']);
  const report = jsonIn(texts['cache.json']) as { spent: { tokens: number } };
  expect(report).toMatchObject({ format: 'cache/1', target: mock.url, seenBy: null });
  expect(report.spent.tokens).toBeLessThanOrEqual(1000);
  expect(texts['cache.html']).toContain('Cannot tell whether prompts are cached');
  expect(code).toBe(report.spent.tokens === 0 ? 11 : 13);
});

it('weir check writes its page, its data and its test cases', async () => {
  const { code, names, texts } = await written('check', '--only', 'models');
  expect(names).toEqual(['check.html', 'check.json', 'check.junit.xml', 'check.md']);
  const { rows } = jsonIn(texts['check.json']) as {
    rows: readonly { topic: string; outcome: string }[];
  };
  expect(new Set(rows.map(({ topic }) => topic))).toEqual(new Set(['models']));
  const broken = rows.filter(({ outcome }) => outcome === 'violation');
  expect(broken).toEqual([]);
  expect(texts['check.junit.xml']).toContain(`tests="${rows.length}"`);
  expect(code).toBe(0);
});
