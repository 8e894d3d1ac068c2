import { isDeepStrictEqual } from 'node:util';
import { readUsage } from '../../traffic/answer/read-usage.ts';
import type { Draw } from '../../model/workload/draw.ts';
import type { SpeechFormat, Traffic, TranscriptFormat } from '../../model/workload/traffic.ts';
import { sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
import { audioBody, below, chance } from './answer-grammar.fixture.ts';
import { nested } from './attack.fixture.ts';
import {
  checkLimits,
  checkReader,
  type FuzzCheck,
  type FuzzTarget,
} from './parser-fuzz.fixture.ts';

/** Right answers of which some values, members and events are changed, as a pure function of a draw. */

const usage = {
  prompt_tokens: 7,
  completion_tokens: 4,
  total_tokens: 11,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const call = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
};
const message = { role: 'assistant', content: 'a b', reasoning_content: 'r', tool_calls: [call] };
const parts = [
  { type: 'text', text: 'a' },
  { type: 'thinking', thinking: [{ type: 'text', text: 'b' }] },
];
const choice = {
  index: 0,
  message,
  finish_reason: 'stop',
  logprobs: { content: [{ token: 'a' }] },
};

const chats: readonly unknown[] = [
  { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage },
  { choices: [{ ...choice, message: { role: 'assistant', content: parts } }], usage: null },
  { choices: [{ ...choice, usage, finish_reason: 'abort' }] },
  {
    choices: [choice, { ...choice, index: 1, error: { message: 'no', code: 500 } }],
    x_groq: { usage },
  },
  { error: { message: 'Rate limit: try again in 2s', type: 'requests', param: null, code: '429' } },
];

const piece = (delta: unknown, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const pieces: readonly unknown[] = [
  piece({ role: 'assistant', content: '' }),
  piece({ content: 'a' }),
  piece({ content: ' b' }),
  piece({ reasoning: 'r' }),
  piece({ content: parts }),
  piece({ tool_calls: [call] }),
  piece({}, { finish_reason: 'length', usage }),
  { ...piece({ content: 'c' }), usage },
  { choices: [], usage },
  { error: { message: 'overloaded', code: 503 } },
];

const words = [{ word: 'gate', start: 0.1, end: 0.4 }];
const segment = {
  id: 0,
  seek: 0,
  start: 0,
  end: 1.5,
  text: 'The gate',
  tokens: [1],
  avg_logprob: -0.1,
};
const transcripts: readonly unknown[] = [
  { text: 'The gate is open.', usage: { type: 'duration', seconds: 3 } },
  {
    task: 'transcribe',
    language: 'en',
    duration: '2.5',
    text: 'The gate.',
    segments: [segment],
    words,
  },
  { text: 'The gate.', usage: { type: 'tokens', input_tokens: 3, output_tokens: 2 } },
];
const modelLists: readonly unknown[] = [
  {
    object: 'list',
    data: [{ id: 'm', object: 'model', created: 1, owned_by: 'w', max_model_len: 9 }],
  },
  [{ id: 'm' }],
  { data: [], models: [{ name: 'm' }] },
];
const refusals: readonly unknown[] = [
  {
    error: {
      message: 'Rate limit reached. Please try again in 1m2.5s.',
      type: 'tokens',
      code: 'x',
    },
  },
  { error: { code: '429', message: 'Please retry after 5 seconds.' } },
  {
    error: {
      code: 429,
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
    },
  },
  { error: { metadata: { headers: { 'X-RateLimit-Reset': '1741305600000' } }, code: 429 } },
  { detail: [{ loc: ['body', 'model'], msg: 'm', type: 't' }], retry_after: 3 },
  { object: 'error', message: 'm', type: 'BadRequestError', param: null, code: 400 },
];

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e300,
  0.5,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  '',
  'stop',
  '3',
  '3s',
  '1e9',
  'NaN',
  [],
  [[]],
  {},
  [null],
  { a: 1 },
  '\ud800',
  '\u0000\u2028',
  'x'.repeat(3000),
  '9'.repeat(400),
  JSON.parse(nested(50)),
  ['a', 1],
  { toString: 1, constructor: null, length: -1 },
  '9999-12-31T23:59:59Z',
  new Date(0).toUTCString(),
];

type Tree = Record<string, unknown> | unknown[];
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Returns all objects and lists of a value. */
const treesIn = (value: unknown): readonly Tree[] =>
  isTree(value) ? [value, ...Object.values(value).flatMap(treesIn)] : [];

type Change = (draw: Draw, tree: Record<string, unknown>, name: string) => void;
const changes: readonly Change[] = [
  (draw, tree, name) => {
    tree[name] = structuredClone(draw.pick(oddValues));
  },
  (_, tree, name) => {
    delete tree[name];
  },
  (_, tree, name) => {
    tree[name] = [tree[name], tree[name]];
  },
  (_, tree, name) => {
    tree[name] = { [name]: tree[name] };
  },
  (_, tree, name) => {
    tree[name] = jsonOf(tree[name]);
  },
  (draw, tree, name) => {
    tree[
      draw.pick(['error', 'usage', 'choices', 'message', 'text', '__proto__', name.toUpperCase()])
    ] = tree[name];
  },
  (draw, tree, name) => {
    const names = Object.keys(tree);
    const other = draw.pick(names);
    [tree[name], tree[other]] = [tree[other], tree[name]];
  },
];

/** Returns a copy of a value in which up to three places are changed. */
const mutated = (draw: Draw, value: unknown): unknown => {
  const copy = { value: structuredClone(value) };
  for (let left = below(draw, 4); left > 0; left -= 1) {
    const trees = treesIn(copy).filter((tree) => Object.keys(tree).length > 0);
    if (trees.length === 0) break;
    const tree = draw.pick(trees) as Record<string, unknown>;
    draw.pick(changes)(draw, tree, draw.pick(Object.keys(tree)));
  }
  return copy.value;
};

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

const oneOf =
  (samples: readonly unknown[]) =>
  (draw: Draw): Buffer =>
    Buffer.from(jsonOf(mutated(draw, draw.pick(samples))));

const streamOf = (draw: Draw): Buffer => {
  const events = Array.from({ length: below(draw, 8) }, () => {
    const data = jsonOf(chance(draw, 0.5) ? mutated(draw, draw.pick(pieces)) : draw.pick(pieces));
    return draw.pick([`data: ${data}`, `data:${data}`, `event: error\ndata: ${data}`, data]);
  });
  const ends = ['data: [DONE]\n\n', '', 'data: [DONE]', `data: ${jsonOf(chats[4])}\n\n`];
  return Buffer.from([...events, draw.pick(ends)].join('\n\n'));
};

const captions =
  '1\n00:00:00,000 --> 00:00:01,500\nThe gate\n\n2\n00:00:01,500 --> 00:00:02,000\nis open.\n';
const captionTexts = [captions, `WEBVTT\n\n${captions.replaceAll(',', '.')}`, 'The gate is open.'];
const captionsOf = (draw: Draw): Buffer => {
  let text = draw.pick(captionTexts);
  for (let left = below(draw, 4); left > 0; left -= 1) {
    const at = below(draw, text.length);
    text = `${text.slice(0, at)}${draw.pick(['', '\n', '-->', '99:', '\u0000', '\ud83d'])}${text.slice(at + below(draw, 6))}`;
  }
  return Buffer.from(text);
};

const checkUsage: FuzzCheck = (draw) => {
  const document: unknown = JSON.parse(jsonOf(mutated(draw, draw.pick([...chats, ...pieces]))));
  if (!isTree(document) || Array.isArray(document)) return false;
  const found = readUsage(document);
  for (const count of [found?.input, found?.output]) {
    const isCount = Number.isSafeInteger(count) && (count as number) >= 0;
    if (count !== null && count !== undefined && !isCount) throw new Error(`${count} tokens`);
  }
  if (!isDeepStrictEqual(found, readUsage(document))) throw new Error('two readings of one usage');
  return typeof found?.input === 'number';
};

const speechOf = (format: SpeechFormat): Traffic => ({ ...sampleTraffic.speech, format });
const transcriptAs = (format: TranscriptFormat): Traffic => ({
  ...sampleTraffic.transcription,
  format,
});
const ok = [200];
const failing = [400, 401, 404, 422, 429, 500, 503, 529];
const json = ['application/json'];
const events = ['text/event-stream'];
const { chat, models } = sampleTraffic;

/** The readers of all answers, with the share of each in percent. */
export const mutatedTargets: readonly FuzzTarget[] = [
  { name: 'whole chats', check: checkReader(chat, oneOf(chats), ok, json), share: 20 },
  {
    name: 'streams',
    check: checkReader(sampleTraffic['chat-stream'], streamOf, ok, events),
    share: 20,
  },
  { name: 'usages', check: checkUsage, share: 10 },
  {
    name: 'transcripts',
    check: checkReader(transcriptAs('json'), oneOf(transcripts), ok, json),
    share: 6,
  },
  {
    name: 'verbose transcripts',
    check: checkReader(transcriptAs('verbose_json'), oneOf(transcripts), ok, json),
    share: 6,
  },
  {
    name: 'captions',
    check: checkReader(transcriptAs('srt'), captionsOf, ok, ['text/plain']),
    share: 4,
  },
  {
    name: 'web captions',
    check: checkReader(transcriptAs('vtt'), captionsOf, ok, ['text/vtt']),
    share: 4,
  },
  { name: 'model lists', check: checkReader(models, oneOf(modelLists), ok, json), share: 5 },
  ...(['mp3', 'wav', 'opus'] as const).map((format) => ({
    name: `speech as ${format}`,
    check: checkReader(speechOf(format), (draw: Draw) => audioBody(draw, format), ok, [
      'audio/mpeg',
    ]),
    share: 3,
  })),
  {
    name: 'refusals and their waits',
    check: checkReader(chat, oneOf(refusals), failing, json),
    share: 11,
  },
  { name: 'limit headers', check: checkLimits, share: 5 },
];
