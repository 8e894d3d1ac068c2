import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

interface Chat {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** The tokens of the template: before all messages, after each of them, and before an answer. */
const head = ['<s>', '<a>', '<b>'];
const [mark, answer] = ['<m>', '<answer>'];

const tokensOf = ({ messages }: Chat): readonly string[] => [
  ...head,
  ...messages.flatMap(({ role, content }) => [
    ...(role === 'assistant' ? [answer] : []),
    ...content.split(' ').filter(Boolean),
    mark,
  ]),
  answer,
];

const sharedLength = (a: readonly string[], b: readonly string[]): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
};

/** A server whose cache keeps every token of every prompt. It reports what came from there, if it should. */
const openServer = async (reports: boolean): Promise<string> => {
  const seen: (readonly string[])[] = [];
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST') return response.end('{"object":"list","data":[]}');
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    return request.on('end', () => {
      const tokens = tokensOf(JSON.parse(body) as Chat);
      const longest = Math.max(0, ...seen.map((each) => sharedLength(each, tokens)));
      seen.push(tokens);
      const usage = {
        prompt_tokens: tokens.length,
        completion_tokens: 1,
        ...(reports
          ? { prompt_tokens_details: { cached_tokens: Math.min(longest, tokens.length - 1) } }
          : {}),
      };
      const message = { role: 'assistant', content: 'yes' };
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const runWith = async (entry: object, objectives: readonly string[] = [], reports = true) => {
  const folder = await tempFolder();
  const [out, lines] = [join(folder, 'out'), join(folder, 'lines.jsonl')];
  const text = JSON.stringify({
    limits: 'none',
    traffic: [{ kind: 'chat', model: 'm', ...entry }],
    load: { kind: 'iterations', users: 1, iterations: 60, maxDuration: '30s' },
    objectives,
  });
  const target = await openServer(reports);
  const files = ['--out', out, '--observations', lines, '--summary', join(out, 'r.md')];
  const words = ['--target', target, '--details', ...files];
  const ended = await weir(['run', await tempFile('s.yaml', text), ...words], {
    WEIR_API_KEY: 'k',
  });
  const page = await readFile(join(out, 'report.html'), 'utf8');
  const markdown = await readFile(join(out, 'r.md'), 'utf8');
  const [, ...rows] = (await readFile(lines, 'utf8')).trim().split('\n');
  const tokens = rows.map(
    (row) =>
      (JSON.parse(row) as { outcome: { answer: { tokens: Record<string, number> } } }).outcome
        .answer.tokens,
  );
  return { ...ended, out, page, markdown, tokens, result: await resultIn(out) };
};

const wordsFrom = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${from + i}word`).join(' ');

const long = [wordsFrom(0, 80), wordsFrom(0, 60), wordsFrom(500, 90)];

describe('a server that keeps whole prompts and says so', () => {
  it.each([
    ['conversations', { prompt: { tokens: 40, turns: { count: 4, answer: 20 } } }],
    ['prompts of the scenario', { prompts: [long[0], long[2]] }],
    [
      'conversations of the scenario',
      {
        conversations: [1, 2].map((last) => [
          { role: 'system', content: long[0] },
          { role: 'user', content: `${long[2]} ${last}` },
        ]),
      },
    ],
  ])('reports for %s what Weir expected, to the token', async (_, entry) => {
    const { tokens, result } = await runWith(entry);
    expect(tokens).toHaveLength(60);
    const repeated = tokens.filter((each) => each['repeated']! > 0);
    expect(repeated.length).toBeGreaterThan(40);
    const whole = repeated.filter((each) => each['repeated'] === each['cached']);
    // The end of another prompt with the same system message is estimated, and the template counts with it.
    expect(whole.length).toBeGreaterThanOrEqual(repeated.length - 1);
    const { promptCache } = result.summary!;
    expect(promptCache!.reported! - promptCache!.expected!).toBeLessThan(3);
  });

  it.each([
    ['prefixes', { prompt: { tokens: 120, prefix: { tokens: 100, pool: 5 } } }],
    [
      'prompts that all begin alike',
      { prompt: { tokens: { kind: 'uniform', min: 50, max: 90 }, cache: 'invite' } },
    ],
    ['a system message', { prompt: { tokens: 30 }, system: wordsFrom(0, 50) }],
  ])('reports for %s what Weir expected within its template', async (_, entry) => {
    const { tokens } = await runWith(entry);
    const repeated = tokens.filter((each) => each['repeated']! > 0);
    expect(repeated.length).toBeGreaterThan(40);
    for (const each of repeated) {
      expect(Math.abs(each['repeated']! - each['cached']!)).toBeLessThanOrEqual(head.length + 3);
    }
  });

  it('is shown on all pages, and keeps an objective', async () => {
    const entry = { prompt: { tokens: 40, turns: { count: 4, answer: 20 } } };
    const { page, markdown, stdout, result, ...ended } = await runWith(entry, ['cacheHits > 50%']);
    expect(ended.code).toBe(exitOf(result, 0));
    const places = { page, markdown, stdout };
    const has = (said: string) =>
      Object.entries(places).flatMap(([name, text]) => (text.includes(said) ? [name] : []));
    expect(has('What came from the prompt cache?')).toEqual(Object.keys(places));
    expect(result.verdicts![0]).toMatchObject({ grounds: 'kept', n: 60 });
  });
});

describe('weir plan', () => {
  const entry = { prompt: { tokens: 40, turns: { count: 4, answer: 20 } }, maxTokens: 1 };
  const forecastOf = async (words: readonly string[], model = 'm') => {
    const text = JSON.stringify({
      traffic: [{ kind: 'chat', model, ...entry }],
      prices: { [model]: { input: 10, cachedInput: 1, output: 10 } },
      load: { kind: 'iterations', users: 1, iterations: 60, maxDuration: '30s' },
    });
    return weir(['plan', await tempFile('p.yaml', text), '--answer-time', '10ms', ...words]);
  };
  const costIn = (json: string): number =>
    (JSON.parse(json) as { total: { cost: { sum: number } } }).total.cost.sum;

  it('prices as much of the prompts as cached as an earlier result had', async () => {
    const { out, tokens } = await runWith(entry);
    const paid = tokens.reduce(
      (sum, { input, cached }) => sum + (input! - cached!) * 10 + cached! + 10,
      0,
    );
    const full = costIn((await forecastOf(['--json'])).stdout);
    const forecast = costIn((await forecastOf(['--json', '--like', out])).stdout);
    expect(full).toBeGreaterThan(1.8 * forecast);
    // The run's prompts have the words of the plan and those of the template.
    expect(Math.abs(forecast / paid - 1)).toBeLessThan(0.1);
    expect((await forecastOf(['--like', out])).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'comes from a cache as in the earlier result: chat (m) ',
    );
    const other = await forecastOf(['--like', out], 'other');
    expect(other.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'The earlier result does not say what is cached of chat (other): its prompts cost the full price.',
    );
  });

  it('refuses a result in which no answer reports cached tokens', async () => {
    const { out } = await runWith(entry, [], false);
    const { code, stderr } = await forecastOf(['--like', out]);
    expect(code).toBe(2);
    expect(stderr).toContain('no answer in');
  });
});

describe('a server that does not say what it keeps', () => {
  it('keeps no objective, and what was expected is said', async () => {
    const entry = { prompts: [long[0]] };
    const { stdout, result, ...ended } = await runWith(entry, ['cacheHits > 1%'], false);
    expect(ended.code).toBe(exitOf(result, 10));
    expect(stdout).toContain('no answer reports cached tokens');
    expect(result.verdicts![0]).toMatchObject({ grounds: 'never-given', unreported: 60 });
    expect(result.summary!.promptCache).toMatchObject({ reported: null, unreported: 60 });
  });
});

describe('prompts that share nothing', () => {
  it.each([
    ['short ones', { prompt: 'Hi.' }],
    ['ones that differ from the first word on', { prompt: { tokens: 100 } }],
  ])('have no section and no expectation: %s', async (_, entry) => {
    const { stdout, tokens, result } = await runWith(entry, [], false);
    expect(stdout).not.toContain('prompt cache');
    expect(tokens.every((each) => each['repeated'] === undefined)).toBe(true);
    expect(result.summary!.promptCache).toBeUndefined();
  });
});
