import { expect, it } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { readyTarget } from '../../run/target/ready-target.fixture.ts';
import { type CheckSettings, selectChecks } from './check-settings.ts';
import {
  checkTarget,
  failingFinishes,
  namedIn,
  readModels,
  refusedBy,
  spentBy,
  whyNoList,
} from './perform-check.ts';
import { CheckAnswer, type ReceivedAnswer } from './reading/check-answer.ts';
import { type CheckRequest, free } from './reading/check-case.ts';
import { unseenRows } from './suite/judge-checks.ts';
import { CheckRun } from './suite/run-checks.ts';
import { reply } from './topics/judged.fixture.ts';

/** The steps of a check, whose requests are answered at once and by no server. */

const advice =
  'check the key (--key NAME of an environment variable); if only the list is refused, do without it: --model PUBLISHER/MODEL --no-preflight';
const addressed = (address: string): string =>
  `there is no model list (status 404): a base address ends in its version, once, so try ${address}; if this one is right, name a model (--model)`;

it.each([
  ['https://h', 401, undefined, true, `the model list was refused with status 401: ${advice}`],
  ['https://h/v1', 403, undefined, false, `the model list was refused with status 403: ${advice}`],
  ['https://h/v1', 401, 'm', true, `the model list was refused with status 401: ${advice}`],
  ['https://h/v1', 401, 'm', false, null],
  ['https://h/v1', 402, undefined, true, null],
  ['https://h/', 404, undefined, true, addressed('https://h/v1')],
  ['https://h/v1/v1', 404, undefined, false, addressed('https://h/v1')],
  ['https://h', 404, 'm', true, null],
  ['https://h/v1//', 404, undefined, true, null],
  ['https://h', 200, undefined, true, null],
  ['https://h', 500, undefined, true, null],
])(
  'the model list of %s that answers with %d has its reason (model %s, looked at: %s)',
  (baseUrl, status, model, isLookedAt, reason) => {
    expect(whyNoList(status, { baseUrl, model, isLookedAt })).toBe(reason);
  },
);

const unread = {
  chat: null,
  speech: null,
  transcription: null,
  voice: 'Emily.wav',
  listed: [],
  now: 1_000_000,
  clip: { name: 'a', text: null, seconds: 3, bytes: Buffer.alloc(0) },
  otherClips: [],
} as never;

type Answering = (
  request: CheckRequest,
) => readonly [body: unknown, more?: Partial<ReceivedAnswer>];

/** A run of checks whose clock goes on by 100 ms with each answer. */
const runAgainst = (answering: Answering) => {
  let now = 5000;
  const sent: string[] = [];
  const client = {
    now: () => now,
    wall: () => now,
    sleep: async () => undefined,
    send: async (request: CheckRequest) => {
      now += 100;
      sent.push(request.id);
      return reply(request.id, ...answering(request));
    },
  };
  const run = new CheckRun(client, {
    target: unread,
    stopReason: () => null,
    say: () => undefined,
  });
  return { run, client, sent };
};
const list = {
  object: 'list',
  data: ['x/chat', 'x/tts', 'x/whisper'].map((id) => ({ id, object: 'model' })),
};
const settings = (given: Partial<CheckSettings> = {}) => given as CheckSettings;
const target = readyTarget('https://h/v1');

it('takes the models of the list, in place of which the user may name others', async () => {
  const { run, sent } = runAgainst(() => [list]);
  await readModels({ run }, settings(), target);
  expect(sent).toEqual(['models']);
  const { chat, speech, transcription, voice, listed, headerFamily, now } = run.target;
  expect([chat, speech, transcription, voice]).toEqual([
    'x/chat',
    'x/tts',
    'x/whisper',
    'Emily.wav',
  ]);
  expect([listed, headerFamily, now]).toEqual([
    ['x/chat', 'x/tts', 'x/whisper'],
    undefined,
    1_000_000,
  ]);
  const named = {
    model: 'c',
    speechModel: 's',
    transcriptionModel: 't',
    voice: 'v',
    headerFamily: 'openai',
  };
  const other = runAgainst(() => [list]);
  await readModels(other, settings(named), target);
  expect(other.run.target).toMatchObject({
    chat: 'c',
    speech: 's',
    transcription: 't',
    voice: 'v',
    headerFamily: 'openai',
    listed: ['x/chat', 'x/tts', 'x/whisper'],
  });
});

it('goes on without a list where it may, of which no body of a refusal is read', async () => {
  for (const given of [
    settings({ model: 'm', preflight: false }),
    settings({ preflight: false }),
  ]) {
    const { run } = runAgainst(() => [list, { status: 405 }]);
    await readModels({ run }, given, target);
    expect(run.target).toMatchObject({
      chat: given.model ?? null,
      speech: null,
      transcription: null,
      voice: 'Emily.wav',
      listed: [],
    });
  }
  const refused = runAgainst(() => [list, { status: 401 }]);
  await expect(readModels(refused, settings({ model: 'm' }), target)).rejects.toThrow(
    new Problem(`https://h/v1: the model list was refused with status 401: ${advice}`),
  );
  const named = settings({ model: 'm', preflight: false });
  await readModels(refused, named, target);
  expect(refused.run.target.chat).toBe('m');
  const bare = runAgainst(() => [list, { status: 404 }]);
  await expect(
    readModels(bare, settings({ preflight: false }), readyTarget('https://h')),
  ).rejects.toThrow(new Problem(`https://h: ${addressed('https://h/v1')}`));
});

const usage = (input: unknown, output: unknown) => ({
  usage: { prompt_tokens: input, completion_tokens: output },
});
const ofRun = (
  answers: readonly CheckAnswer[],
  more: Partial<Pick<CheckRun, 'sent' | 'waits' | 'hungUp' | 'target'>> = {},
): CheckRun => {
  const { run } = runAgainst(() => [{}]);
  for (const answer of answers) run.answers.set(answer.requestId, answer);
  return Object.assign(run, more);
};

it('counts what the requests cost that were answered, and the tokens of whole numbers', () => {
  const requestOf = (id: string, characters: number, audioSeconds: number): CheckRequest => ({
    id,
    key: 'valid',
    base: 'versioned',
    isSerial: false,
    onlyIfRefused: null,
    isStream: false,
    build: () => null,
    cost: { ...free, characters, audioSeconds },
  });
  const run = ofRun(
    [
      reply('a', usage(10, 2)),
      reply('b', usage(5, 1), { status: 400 }),
      reply('c', usage(0.5, -7)),
      reply('d', usage(-3, 1.5)),
      reply('e', usage('4', 1)),
    ],
    { sent: 9, waits: 2, hungUp: { input: 1000, output: 500 } },
  );
  const requests = [
    requestOf('a', 20, 3),
    requestOf('b', 40, 50),
    requestOf('c', 7, 0.5),
    requestOf('never', 100, 100),
  ];
  expect(spentBy(run, requests)).toEqual({
    requests: 9,
    inputTokens: 1015,
    outputTokens: 504,
    characters: 27,
    audioSeconds: 3.5,
    waits: 2,
  });
});

it.each([
  [[200, 402, 429], 'the credits of the key are used up (402)'],
  [[429, 200], 'the key stayed limited (429) after every wait'],
  [[200, 400, 500, null], null],
  [[], null],
])('of the statuses %j, the end was early because of: %s', (statuses, reason) => {
  const answers = statuses.map((status, i) => reply(String(i), {}, { status }));
  expect(refusedBy(ofRun(answers))).toBe(reason);
});

it('names the models with what the list masks', () => {
  const named = { chat: 'sk-1/c', speech: null, transcription: 't', voice: 'v-sk-1' };
  const changes = { target: { ...(unread as object), ...named } as never };
  expect(namedIn(ofRun([], changes))).toEqual(named);
  const received = reply('models', list).received;
  const masking = new CheckAnswer(
    'models',
    received,
    { method: 'GET', path: '/', headers: {}, body: null },
    (text) => text.replaceAll('sk-1', '[key]'),
  );
  expect(namedIn(ofRun([masking], changes))).toEqual({
    chat: '[key]/c',
    speech: null,
    transcription: 't',
    voice: 'v-[key]',
  });
});

it('takes the finishes that the scenario calls failures, but not the end at a length', () => {
  const fails = ['length', 'content_filter', 'LENGTH', 'max_tokens'].map((finish) => ({
    finish,
  })) as never;
  expect(failingFinishes({ fails })).toEqual(['content_filter']);
  expect(failingFinishes({})).toEqual([]);
});

const selected = (only: string, profile?: string) =>
  selectChecks({ profile, only, skip: undefined, noCost: false, timeout: undefined });

/** The whole report of these checks, whose requests are all answered so. */
const reportOf = async (only: string, answering: Answering, stopped: string | null = null) => {
  const { run, client } = runAgainst(answering);
  const selection = selected(only, 'vllm');
  run.target = { ...run.target, chat: 'x/chat', speech: 's', transcription: 't' };
  run.stopped = stopped;
  const opened = {
    selection,
    run,
    session: { client, startedAt: '2026-07-01T10:20:30.000Z' },
    target,
    plan: {},
    isStopped: () => false,
  } as unknown as Parameters<typeof checkTarget>[0];
  return checkTarget(opened, run.build(selection.requests));
};

it('reports what was asked, how long it took, and what the checks say of the answers', async () => {
  const chat = {
    id: 'c',
    model: 'x/chat',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
  const { rows, unseen, weir, ...rest } = await reportOf('chat.id,chat.total', () => [chat]);
  expect(rest).toEqual({
    format: 'check/1',
    target: 'https://h/v1',
    startedAt: '2026-07-01T10:20:30.000Z',
    took: 100,
    profile: 'vllm',
    models: { chat: 'x/chat', speech: 's', transcription: 't', voice: 'Emily.wav' },
    spent: {
      requests: 1,
      inputTokens: 10,
      outputTokens: 2,
      characters: 0,
      audioSeconds: 0,
      waits: 0,
    },
    stopped: null,
  });
  expect(weir).toMatch(/^\d/);
  expect(rows.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    'chat.id pass',
    'chat.total pass',
  ]);
  expect(unseen).toEqual(unseenRows());
});

it('lists nothing as unseen in an audit of usage, and says why the gateway refused', async () => {
  const { unseen, stopped } = await reportOf('usage.total', () => [{}, { status: 402 }]);
  expect([unseen, stopped]).toEqual([[], 'the credits of the key are used up (402)']);
});

it('says that it was stopped rather than that the gateway refused', async () => {
  const { stopped } = await reportOf('chat.id', () => [{}, { status: 402 }], 'stopped by SIGINT');
  expect(stopped).toBe('stopped by SIGINT');
});
