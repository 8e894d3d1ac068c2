// @gate 2 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  type AnswerTo,
  chatAnswer,
  oneModelList,
  startAnswering,
} from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { checkGateway } from './check.ts';
import { checkReportSchema } from './model/check-report.ts';

/** Whole checks of a few requests, against a server of the test. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-check-'));
});
afterAll(() => rm(folder, { recursive: true }));

let runs = 0;
const check = async (answerTo: AnswerTo, given: object = {}) => {
  const { origin, close } = await startAnswering(answerTo);
  onTestFinished(close);
  const out = join(folder, String((runs += 1)));
  const fake = fakeHost({ K: 'sk-of-this-test' });
  const command = {
    scenario: undefined,
    target: `${origin}/v1`,
    key: 'K',
    set: [],
    allowFiles: false,
    only: 'chat-answers',
    noCost: false,
    strict: false,
    yes: true,
    out,
    ...given,
  } as unknown as Parameters<typeof checkGateway>[0];
  const exit: unknown = await checkGateway(command, fake.host).catch((error: unknown) =>
    String(error),
  );
  const read = async () =>
    checkReportSchema.parse(JSON.parse(await readFile(join(out, 'check.json'), 'utf8')));
  return { ...fake, exit, read, origin };
};

const refusal = JSON.stringify({ error: { message: 'no', type: 't', code: 'c' } });
const answering: AnswerTo = ({ text }) => [200, text === '' ? oneModelList : chatAnswer];

it('sends the requests of the checks, judges their answers, and counts what they cost', async () => {
  const { exit, read, said, origin, printed } = await check(answering);
  const report = await read();
  expect(exit).toBe('objective');
  expect(report).toMatchObject({
    format: 'check/1',
    target: `${origin}/v1`,
    profile: 'spec',
    models: { chat: 'm', speech: null, transcription: null },
    stopped: null,
  });
  const outcomes = Object.fromEntries(report.rows.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toMatchObject({
    chat: 'pass',
    'chat.total': 'pass',
    'chat.unique-id': 'violation',
    'chat.model-used': 'pass',
    'chat.cut': 'unchecked',
  });
  // Beside the list of models: each answer has ten tokens of input and two of output.
  const chats = report.spent.requests - 1;
  expect(report.spent).toMatchObject({ inputTokens: 10 * chats, outputTokens: 2 * chats });
  expect(said.find((line) => line.includes('Budget'))).toMatch(
    /\/v1, model m\. Budget: \d+ requests.*; at most [\d,]+ tokens of chats, whose price depends on the model; under a minute/,
  );
  expect(JSON.parse(printed[0]!.json!)).toEqual(report);
  expect(JSON.stringify(report)).not.toContain('sk-of-this-test');
});

it.each([
  [{ only: 'chat.id' }, 'pass'],
  [{ only: 'chat.cut' }, 'inconclusive'],
  [{ only: 'no-such-check' }, /^Error: --only: expected checks or topics/],
  [{ only: 'chat', yes: false }, /this budget needs a confirmation/],
])('ends by what was asked of it: %j', async (given, expected) => {
  const { exit } = await check(answering, given);
  if (typeof expected === 'string') expect(exit).toBe(expected);
  else expect(exit).toMatch(expected);
});

it('fails by a deviation only if it is strict', async () => {
  const other: AnswerTo = ({ text }) => [
    200,
    text === '' ? oneModelList : chatAnswer.replace('"m"', '"z"'),
  ];
  expect((await check(other, { only: 'chat.model-used' })).exit).toBe('pass');
  expect((await check(other, { only: 'chat.model-used', strict: true })).exit).toBe('objective');
});

it('is not made without a list of models that may be read', async () => {
  const { exit } = await check(() => [401, refusal]);
  expect(exit).toMatch(/the model list was refused with status 401|401/);
  const { exit: named, read } = await check(
    ({ text }) => (text === '' ? [404, refusal] : [200, chatAnswer]),
    { model: 'x', only: 'chat.id' },
  );
  expect(named).toBe('pass');
  expect((await read()).models.chat).toBe('x');
});

it('reports that the credits were used up, or that the key stayed limited', async () => {
  const { exit, read } = await check(
    ({ text }) => (text === '' ? [200, oneModelList] : [402, refusal]),
    {
      only: 'chat.id',
    },
  );
  expect((await read()).stopped).toMatch(/the credits of the key are used up \(402\)/);
  expect(exit).not.toBe('pass');
});

it('counts no tokens that are less than none, or no whole number', async () => {
  const odd = chatAnswer
    .replace('"completion_tokens":2', '"completion_tokens":2.5')
    .replace('"prompt_tokens":10', '"prompt_tokens":-10');
  const { read } = await check(({ text }) => [200, text === '' ? oneModelList : odd], {
    only: 'chat.id',
  });
  expect((await read()).spent).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});
