import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnswerTo, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { writeStarterScenario } from './init.ts';

type Order = Parameters<typeof writeStarterScenario>[0];

const listOf = (...ids: readonly string[]): string =>
  JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

/** Asks a gateway of these models for a scenario; a user who answers so is there if there are answers. */
const begin = async ({
  list = listOf('first', 'second', 'a-tts', 'whisper'),
  status = 200,
  answers = [],
  order = {},
}: {
  readonly list?: string;
  readonly status?: number;
  readonly answers?: readonly string[];
  readonly order?: Partial<Order>;
} = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-init-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const asked: string[] = [];
  const answerTo: AnswerTo = ({ url, authorization = '' }) => {
    asked.push(`${url} ${authorization}`);
    return [status, list];
  };
  const server = await startAnswering(answerTo);
  onTestFinished(() => server.close());
  const { host, said } = fakeHost({ MY_KEY: 'sk-of-this-test' });
  const questions: string[] = [];
  const ask = (question: string): Promise<string> =>
    Promise.resolve(answers[questions.push(question) - 1] ?? '');
  const out = join(folder, 'weir.yaml');
  const target = `${server.origin}/v1`;
  const given = { model: undefined, preflight: true, key: 'MY_KEY', prices: undefined, out };
  const chat = writeStarterScenario(
    { target, ...given, ...order },
    { ...host, ask: answers.length > 0 ? ask : null },
  );
  const read = (): Promise<string> => readFile(out, 'utf8');
  return { chat, read, said, questions, asked, target, folder, out };
};

describe('weir init', () => {
  it('writes a scenario with the first chat model of the gateway and its audio models', async () => {
    const { chat, read, said, asked, target } = await begin();
    expect(await chat).toBe('first');
    const text = await read();
    expect(text.replace(target, 'TARGET').split('\n').slice(1).join('\n')).toMatchSnapshot();
    expect(text).not.toContain('sk-of-this-test');
    expect(said).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['/v1/models ', '/v1/models Bearer sk-of-this-test']));
  });

  it('uses the model and the median that a user names', async () => {
    const { chat, read, said, questions } = await begin({ answers: ['second', '900ms'] });
    expect(await chat).toBe('second');
    expect(questions).toEqual([
      'Which one? [first] ',
      expect.stringMatching(/^How soon must the first token come/),
    ]);
    expect(said).toEqual(['Models: first, second']);
    expect(await read()).toContain('900ms');
  });

  it('asks for no model where there is one, or where one is named', async () => {
    const single = await begin({ list: listOf('only', 'a-tts', 'whisper'), answers: ['1s'] });
    expect([await single.chat, single.questions.length]).toEqual(['only', 1]);
    const named = await begin({ answers: ['1s'], order: { model: 'second' } });
    expect([await named.chat, named.questions.length]).toEqual(['second', 1]);
  });

  it('takes no model that the gateway does not list', async () => {
    const { chat, read } = await begin({ order: { model: 'third' } });
    await expect(chat).rejects.toThrow('the target lists no model third: expected one of first, ');
    await expect(read()).rejects.toThrow('ENOENT');
  });

  it('needs a key, an address, and a file that is not there', async () => {
    const keyless = await begin({ order: { key: 'OTHER_KEY' } });
    await expect(keyless.chat).rejects.toThrow(
      '--key: expected the name of an environment variable that contains the gateway’s key; OTHER_KEY is not set: run `export OTHER_KEY=…` first, or name another with --key NAME',
    );
    expect(keyless.asked).toEqual([]);
    const nowhere = await begin({ order: { target: undefined } });
    await expect(nowhere.chat).rejects.toThrow(
      'expected the base address of a gateway, got nothing',
    );
    const { folder } = nowhere;
    const there = join(folder, 'there.yaml');
    await writeFile(there, 'mine');
    const taken = await begin({ order: { out: there } });
    await expect(taken.chat).rejects.toThrow(
      `${there} exists already: name another file with --out FILE`,
    );
    expect([await readFile(there, 'utf8'), taken.asked]).toEqual(['mine', []]);
    const missing = join(folder, 'none', 'weir.yaml');
    await expect((await begin({ order: { out: missing } })).chat).rejects.toThrow(
      `${missing} cannot be written: its folder does not exist`,
    );
  });

  it('needs a list of models, or a model to do without', async () => {
    const refused = await begin({ status: 403, list: '{}' });
    await expect(refused.chat).rejects.toThrow(/was refused with status 403/);
    const named = await begin({ status: 404, list: '{}', order: { model: 'mine' } });
    expect(await named.chat).toBe('mine');
    expect(named.said).toEqual([expect.stringMatching(/answered 404/)]);
    expect(await named.read()).toContain('mine');
    const unasked = await begin({ order: { model: 'mine', preflight: false } });
    expect([await unasked.chat, unasked.asked]).toEqual(['mine', []]);
  });

  it('says if a file of prices has none of the model', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-prices-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const prices = join(folder, 'prices.yaml');
    await writeFile(prices, 'first: { input: 2, output: 6 }\n');
    const priced = await begin({ order: { prices } });
    expect(await priced.chat).toBe('first');
    expect(priced.said).toEqual([]);
    expect(await priced.read()).toMatch(/input: 2, output: 6/);
    const other = await begin({ order: { prices, model: 'second' } });
    await other.chat;
    expect(other.said).toEqual([`${prices} has no price of second: add it to the scenario.`]);
  });
});
