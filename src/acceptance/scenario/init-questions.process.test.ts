import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { writeStarterScenario } from '../../verbs/init/init.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  launcher,
  tempFolder,
  weirEnvironment,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const key = 'sk-weir-test';

/** A host at whose terminal somebody gives these answers, one after the other. */
const answering = (answers: readonly string[]) => {
  const { host, said } = fakeHost({ WEIR_API_KEY: key });
  const questions: string[] = [];
  const ask = (question: string): Promise<string> => {
    questions.push(question);
    return Promise.resolve(answers[questions.length - 1] ?? '');
  };
  return { host: { ...host, ask }, questions, said };
};

const request = { target: undefined, model: undefined, preflight: true, key: 'WEIR_API_KEY' };

/** Writes a scenario with these answers, and returns its text. */
const initWith = async (answers: readonly string[], more: object = {}) => {
  const out = join(await tempFolder(), 'weir.yaml');
  const { host, questions, said } = answering(answers);
  await writeStarterScenario({ ...request, prices: undefined, ...more, out }, host);
  return { text: await readFile(out, 'utf8'), questions, said, out };
};

/** Starts a gateway with this list of models. */
const startLister = async (data: readonly object[], headers: Readonly<Record<string, string>>) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ object: 'list', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

describe('weir init at a terminal', () => {
  it('asks three questions at most: the address, the model and the gate', async () => {
    const mock = await openMock({ models: ['first/model', 'second/model'] });
    const { text, questions } = await initWith([mock.url, 'second/model', '800ms']);
    expect(questions).toEqual([
      expect.stringMatching(/^Base address of the gateway/),
      'Which one? [first/model] ',
      expect.stringMatching(/^How soon must the first token come.* \[2s\] $/),
    ]);
    expect(text).toContain(`target: "${mock.url}"`);
    expect(text).toContain('    model: second/model\n');
    expect(text).toContain('  - ttft.p50 < 800ms\n');
    expect(text).toContain('# Other models that the gateway lists: first/model\n');
    expect(text).not.toContain(key);
  });

  it('takes its own answers for Enter, and asks nothing that an option says', async () => {
    const { text, questions } = await initWith(['', ''], { target: 'mock', model: 'weir/large' });
    expect(questions).toHaveLength(1);
    expect(text).toContain('    model: weir/large\n');
    expect(text).toContain('  - ttft.p50 < 2s\n');
  });

  it('says what was wrong with an answer, asks once more, and then gives up', async () => {
    const { text, said } = await initWith(['a/b', 'weir/large', '800', '1s'], { target: 'mock' });
    expect(said).toContainEqual(expect.stringContaining('lists no model a/b: expected one of'));
    expect(said).toContainEqual(expect.stringMatching(/^expected a length of time .*; got 800$/));
    expect(text).toContain('  - ttft.p50 < 1s\n');
    await expect(initWith(['gateway.example', 'gateway.example'])).rejects.toThrow(
      'expected the base address of a gateway (https://host/v1) or mock, got gateway.example',
    );
  });

  it('asks in a real terminal, and the scenario is valid', async () => {
    const mock = await openMock({ models: ['first/model', 'second/model'] });
    const out = join(await tempFolder(), 'weir.yaml');
    const words = [process.execPath, launcher, 'init', mock.url, '--out', out];
    const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
      env: weirEnvironment({ WEIR_API_KEY: key }),
    });
    onTestFinished(() => void child.kill());
    let shown = '';
    const answers = new Map([
      ['Which one?', 'second/model'],
      ['in the median?', '900ms'],
    ]);
    child.stdout.on('data', (bytes: Buffer) => {
      shown += bytes.toString();
      for (const [question, answer] of answers) {
        if (!shown.includes(question)) continue;
        answers.delete(question);
        child.stdin.write(`${answer}\n`);
      }
    });
    const [code] = (await once(child, 'close')) as [number];
    expect(code, shown).toBe(0);
    const environment = { WEIR_API_KEY: key };
    const planned = await weir(['plan', out], environment);
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    expect(await readFile(out, 'utf8')).toMatch(/model: second\/model[^]*ttft\.p50 < 900ms/);
  });
});

describe('the scenario of weir init', () => {
  it('has the prices that the list names, and the limits of longer windows', async () => {
    const url = await startLister(
      [{ id: 'a/b', pricing: { prompt: '0.00000015', completion: '0.0000006' } }],
      { 'x-ratelimit-limit-requests-day': '1000', 'x-ratelimit-limit-tokens-minute': '30000' },
    );
    const { text, out } = await initWith([''], { target: url });
    expect(text).toMatch(/^ {2}a\/b: \{ input: 0\.15, output: 0\.6 \}$/m);
    expect(text).toContain('# It also declares 1,000 requests a day.\n');
    expect(text).toContain('limits: { requestsPerMinute: none, tokensPerMinute: 30000 }');
    expect((await weir(['validate', out], { WEIR_API_KEY: key })).code).toBe(0);
  });

  it('takes prices from a file, LiteLLM’s table or one of Weir’s, only if the user names it', async () => {
    const folder = await tempFolder();
    const [table, own] = [join(folder, 'litellm.json'), join(folder, 'prices.yaml')];
    const perToken = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };
    await writeFile(
      table,
      JSON.stringify({ 'weir/small': { litellm_provider: 'x', mode: 'chat', ...perToken } }),
    );
    await writeFile(
      own,
      'currency: EUR\nweir/small: { input: 1, output: 2, maxInput: 9000 }\nweir-tts: { perCharacter: 0.000015 }\nweir/whisper: { perSecond: 0.0001, roundUpTo: 1s }\n',
    );
    const priced = async (prices: string, model = 'weir/small') => {
      const { text, said, out } = await initWith([''], { target: 'mock', model, prices });
      expect((await weir(['validate', out])).stderr).toBe('');
      return { said, rows: /^prices:\n((?: {2}.*\n)*)/m.exec(text)?.[1] ?? '' };
    };
    expect((await priced(table)).rows).toBe(
      '  currency: "USD"\n  weir/small: { input: 3, output: 15 }\n',
    );
    expect((await priced(own)).rows).toBe(
      '  currency: "EUR"\n  weir/small: { input: 1, output: 2, maxInput: 9000 }\n  weir-tts: { perCharacter: 0.000015 }\n  weir/whisper: { perSecond: 0.0001, roundUpTo: 1000ms }\n',
    );
    const unpriced = await priced(table, 'weir/large');
    expect(unpriced.said).toContain(`${table} has no price of weir/large: add it to the scenario.`);
    expect(unpriced.rows).toBe('');
    await expect(
      initWith([''], { target: 'mock', prices: join(folder, 'none.json') }),
    ).rejects.toThrow(/^--prices: .*none\.json/);
  });

  it('asks nothing without a terminal, where an address is needed', async () => {
    const { code, stderr } = await weir(['init']);
    expect(code).toBe(2);
    expect(stderr).toContain('weir init: expected the base address of a gateway, got nothing');
  });
});
