import { expect, it } from 'vitest';
import type { ExchangeObserver, WireRequest } from '../../../../model/observation/exchange.ts';
import { instant } from '../../../../model/quantity.ts';
import type { ProbeModels } from '../probe-requests.ts';
import type { ProbeSession } from '../send-probe-request.ts';
import { openTokenClient, type TokenClientOptions } from './send-token-request.ts';
import type { TokenQuery } from './token-client.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the connection breaks instead. */
  readonly isBroken?: true;
}

const usageBody = (input: number, output: number, more: object = {}): string =>
  JSON.stringify({
    choices: [{}],
    usage: { prompt_tokens: input, completion_tokens: output, ...more },
  });

/** Opens a client of a gateway that answers as the test says, 10 ms after a request and 5 ms later whole. */
const opened = (
  answerTo: (body: Record<string, unknown>, wire: WireRequest) => Answer,
  more: Partial<TokenClientOptions> = {},
) => {
  let now = 0;
  const wires: WireRequest[] = [];
  const session = {
    wallZero: 1_700_000_000_000,
    transport: {
      send: (wire: WireRequest, seen: ExchangeObserver) => {
        wires.push(wire);
        const body = wire.headers['content-type'] === 'application/json' ? String(wire.body) : '{}';
        const answer = answerTo(JSON.parse(body) as Record<string, unknown>, wire);
        const { status = 200, headers = {}, isBroken } = answer;
        queueMicrotask(() => {
          seen.onSent(instant(now));
          now += 10;
          if (isBroken) return seen.onFailure(instant(now), 'reset', 'by peer');
          seen.onHeaders(instant(now), status, headers);
          now += 5;
          seen.onChunk(instant(now), Buffer.from(answer.body ?? ''));
          return seen.onEnd(instant(now));
        });
        return {
          abort: (cause: 'aborted', detail: string) => seen.onFailure(instant(now), cause, detail),
        };
      },
    },
    clock: { now: () => instant(now), every: () => () => undefined },
    nextHeaders: () => ({}),
    keyHeader: (key: string) => ({ authorization: key }),
    redact: (text: string) => text,
    timeoutFor: 5000,
  } as unknown as ProbeSession;
  const models = { chat: 'm', otherChat: 'o', speech: 's', transcription: 't' } as ProbeModels;
  const client = openTokenClient({
    session,
    sleepUntil: async () => undefined,
    models,
    credential: 'first',
    runId: 'run',
    ...more,
  });
  return { client, wires, bodyOf: (n: number) => JSON.parse(String(wires[n]!.body)) as object };
};

const used = (input: number, output: number) => ({ input, output });

const query: TokenQuery = {
  phase: 'calibration',
  kind: 'chat',
  prompt: 100,
  maxTokens: 3,
  isStream: false,
};

const contentOf = (body: object): string =>
  (body as { messages: readonly { content: string }[] }).messages[0]!.content;
const wordsIn = (body: object): number => contentOf(body).split(' ').length;

it('a chat has its model, its length and an id, and its reply what the answer says', async () => {
  const headers = { 'x-ratelimit-limit-tokens': '900', 'x-ratelimit-remaining-tokens': '780' };
  const { client, wires, bodyOf } = opened(() => ({ headers, body: usageBody(120, 2) }));
  expect(client.charactersPerToken()).toBeNull();
  expect(await client.send({ ...query, burst: 2, isTap: true })).toEqual({
    phase: 'calibration',
    kind: 'chat',
    burst: 2,
    isTap: true,
    sent: 0,
    answered: 10,
    ended: 15,
    status: 200,
    unit: null,
    prompt: 120,
    maxTokens: 3,
    usage: { input: 120, output: 2 },
    reported: { limit: 900, remaining: 780 },
  });
  expect(wires[0]).toMatchObject({
    method: 'POST',
    path: '/chat/completions',
    headers: {
      authorization: 'first',
      accept: 'application/json',
      'content-type': 'application/json',
    },
  });
  expect(Object.values(wires[0]!.headers)).toContain('run-1');
  expect(bodyOf(0)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: expect.any(String) as string }],
    max_tokens: 3,
  });
  expect(client.now()).toBe(15);
});

it('prompts become as long as the usage of the first answers says', async () => {
  // Ten tokens for the frame of a chat, and two for each word.
  const { client, bodyOf } = opened((body) => ({ body: usageBody(10 + 2 * wordsIn(body), 1) }));
  await client.send({ ...query, prompt: 20 });
  await client.send({ ...query, prompt: 200 });
  const { usage, prompt } = await client.send({ ...query, prompt: 1010 });
  expect([usage, prompt, wordsIn(bodyOf(2))]).toEqual([{ input: 1010, output: 1 }, 1010, 500]);
  expect(client.charactersPerToken()).toBe((contentOf(bodyOf(2)).length + 1) / 500 / 2);
});

it.each([
  [0.39, 'usage does not grow with the prompt: 0.39 tokens a word, where 0.4 to 4 are usual'],
  [0.41, null],
  [3.99, null],
  [4.01, 'usage does not grow with the prompt: 4.01 tokens a word, where 0.4 to 4 are usual'],
])('a gateway that counts %s tokens a word ends the examination with: %s', async (each, cut) => {
  const { client } = opened((body) => ({ body: usageBody(Math.round(each * wordsIn(body)), 1) }));
  await client.send({ ...query, prompt: 20 });
  await client.send({ ...query, prompt: 5000 });
  const third = client.send({ ...query, prompt: 1000 });
  if (cut === null) expect(await third).toMatchObject({ status: 200 });
  else await expect(third).rejects.toThrow(cut);
});

it('the prompt of the first stream is repeated where that is asked, and others begin alike', async () => {
  const { client, bodyOf } = opened((body) => ({ body: usageBody(wordsIn(body), 1) }));
  await client.send(query);
  await client.send({ ...query, kind: 'stream', prompt: 200, isStream: true });
  await client.send({ ...query, phase: 'accounting', kind: 'again', prompt: 9, isRepeated: true });
  for (const prompt of [100, 50, 120, 8])
    await client.send({ ...query, phase: 'even', prompt, hasCommonBeginning: true });
  const texts = [1, 2, 3, 4, 5, 6].map((n) => contentOf(bodyOf(n)).split(' '));
  expect(texts[1]).toEqual(texts[0]);
  expect(texts.map((words) => words.length)).toEqual([200, 200, 100, 50, 120, 8]);
  // All but the last 16 words of a prompt are those of the longest one.
  const [long, short, longer] = texts.slice(2) as [string[], string[], string[]];
  expect(short.slice(0, 34)).toEqual(long.slice(0, 34));
  expect(longer.slice(0, 84)).toEqual(long.slice(0, 84));
  expect(short.slice(34)).not.toEqual(long.slice(34, 50));
  expect(longer.slice(84, 100)).not.toEqual(long.slice(84));
});

it.each([
  ['chat', false, {}],
  ['stream', true, { stream: true, stream_options: { include_usage: true } }],
  ['stream-unreported', true, { stream: true }],
  ['two-answers', false, { n: 2 }],
  ['bad-parameter', false, { temperature: 9 }],
  ['unknown-model', false, { model: 'weir/no-such-model' }],
  ['other-model', false, { model: 'o' }],
] as const)('a query of kind %s, streamed: %s, has the fields %j', async (kind, isStream, more) => {
  const { client, bodyOf, wires } = opened(() => ({}));
  await client.send({ ...query, kind, isStream });
  const { messages: _, ...others } = bodyOf(0) as { messages: object };
  expect(others).toEqual({ model: 'm', max_tokens: 3, ...more });
  expect(wires[0]!.headers['accept']).toBe(isStream ? 'text/event-stream' : 'application/json');
});

it('speech and transcriptions have separate requests, and no usage', async () => {
  const { client, wires } = opened(() => ({ body: usageBody(7, 1) }));
  const speech = await client.send({ ...query, kind: 'speech', prompt: 0 });
  await client.send({ ...query, kind: 'transcription', prompt: 0 });
  expect(speech).toMatchObject({ status: 200, prompt: 0, maxTokens: 3, usage: null });
  expect(wires.map(({ path }) => path)).toEqual(['/audio/speech', '/audio/transcriptions']);
  expect(client.charactersPerToken()).toBeNull();
});

const event = (content: object): string => `data: ${JSON.stringify(content)}\n\n`;

it.each([
  [
    'the last event that has one',
    [
      event({ usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      event({ usage: { prompt_tokens: 50, completion_tokens: 4 } }),
      event({ usage: null }),
      'data: [DONE]\n\n',
    ].join(''),
    used(50, 4),
  ],
  [
    'a comment before the events',
    `: hi\r\n${event({ usage: { prompt_tokens: 5, completion_tokens: 4 } })}`,
    used(5, 4),
  ],
  ['no event', event({ choices: [] }), null],
  ['half of it', event({ usage: { prompt_tokens: 5 } }), null],
  [
    'a cache',
    usageBody(50, 4, { prompt_tokens_details: { cached_tokens: 32 } }),
    { ...used(50, 4), cached: 32 },
  ],
  ['no cache', usageBody(50, 4, { prompt_tokens_details: { cached_tokens: 0 } }), used(50, 4)],
])('the usage of an answer is read from %s', async (_, body, expected) => {
  const { client } = opened(() => ({ body }));
  expect((await client.send(query)).usage).toEqual(expected);
});

it('refusals name a limit, errors in answers count as such, and broken connections have no status', async () => {
  const refusal = JSON.stringify({ error: { message: 'Rate limit reached: tokens per minute' } });
  const answers: Answer[] = [
    { status: 429, body: refusal },
    { status: 200, body: '{"error":{"message":"overloaded"}}' },
    { isBroken: true },
    { status: 201, body: usageBody(9, 1) },
  ];
  const { client } = opened(() => answers.shift()!);
  const replies = [];
  for (let i = 0; i < 4; i += 1) replies.push(await client.send(query));
  expect(replies.map(({ status, unit, usage }) => [status, unit, usage])).toEqual([
    [429, 'tokens', null],
    [500, null, null],
    [0, null, null],
    [201, null, null],
  ]);
  const [, , broken] = replies;
  expect([broken!.sent, broken!.answered, broken!.ended]).toEqual([30, 40, 40]);
});

it('the keys of a team take turns', async () => {
  const { client, wires } = opened(() => ({}), { team: 'second' });
  for (let i = 0; i < 3; i += 1) await client.send(query);
  expect(wires.map(({ headers }) => headers['authorization'])).toEqual([
    'first',
    'second',
    'first',
  ]);
});

it('a limit of output is examined by answers of a length, and one of input by prompts alone', async () => {
  const headers = {
    'x-ratelimit-limit-output-tokens': '800',
    'x-ratelimit-remaining-output-tokens': '700',
  };
  const { client, bodyOf } = opened(() => ({ headers, body: usageBody(30, 80) }), {
    unit: 'output-tokens',
  });
  expect(client.charactersPerToken()).toBeNull();
  expect(await client.send(query)).toMatchObject({
    prompt: 80,
    // 23 of the 103 that were asked for were not used.
    maxTokens: 23,
    usage: { input: 80, output: 0 },
    reported: { limit: 800, remaining: 700 },
  });
  await client.send({ ...query, phase: 'reserve', maxTokens: 500 });
  expect(bodyOf(0)).toMatchObject({ max_tokens: 103 });
  expect(contentOf(bodyOf(0))).toMatch(/without end\.$/);
  expect(bodyOf(1)).toMatchObject({ max_tokens: 600 });
  expect(contentOf(bodyOf(1))).toBe('Say yes.');
  expect(client.charactersPerToken()).toBeGreaterThan(0);
  const ofInput = opened(() => ({ headers, body: usageBody(30, 80) }), { unit: 'input-tokens' });
  expect(await ofInput.client.send(query)).toMatchObject({
    prompt: 30,
    maxTokens: 3,
    usage: { input: 30, output: 0 },
    reported: null,
  });
});

it('an answer of a limit of output that reports no usage may have used what it was allowed', async () => {
  const { client } = opened(() => ({}), { unit: 'output-tokens' });
  expect(await client.send(query)).toMatchObject({ prompt: 100, maxTokens: 3, usage: null });
});
