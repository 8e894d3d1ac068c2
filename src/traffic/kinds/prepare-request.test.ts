import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../contract/chat.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { Traffic, TrafficOf } from '../../model/workload/traffic.ts';
import { emptyTargetMemory, type TargetMemory } from '../traffic-handler.ts';
import { prepareRequest } from './prepare-request.ts';
import { contextWith, headAt, readAt } from './replay.fixture.ts';
import { prepareContextWith } from '../sample-traffic.fixture.ts';

const conversations = ['one', 'two', 'three'].map((content) => [
  { role: 'user' as const, content },
]);
type Chat = TrafficOf<'chat' | 'chat-stream'>;
const entry = (kind: Chat['kind'], parts: Partial<Chat> = {}): Traffic => ({
  kind,
  weight: 1,
  model: 'm',
  conversations,
  maxTokens: 16,
  body: {},
  price: null,
  ...parts,
});

const bodyOf = (
  traffic: Traffic,
  targetMemory: TargetMemory = emptyTargetMemory(),
  seed = 1,
): Record<string, unknown> => {
  const { body } = prepareRequest(
    traffic,
    prepareContextWith({ draw: drawFrom(seed), targetMemory }),
  ).request;
  return JSON.parse(Buffer.from(body ?? []).toString()) as Record<string, unknown>;
};

describe('a chat request', () => {
  it('has the model, a conversation and a number of tokens', () => {
    const one = conversations.slice(0, 1);
    expect(bodyOf(entry('chat', { conversations: one }))).toEqual({
      model: 'm',
      messages: one[0],
      max_tokens: 16,
    });
    expect(bodyOf(entry('chat', { maxTokens: null }))).not.toHaveProperty('max_tokens');
  });

  it('has the prompt of its source, and the smaller number of tokens', () => {
    const made = { conversations: { kind: 'trace', system: null } } as const;
    expect(bodyOf(entry('chat', { ...made, maxTokens: null }))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Say no.' }],
      max_tokens: 8,
    });
    expect(bodyOf(entry('chat', { ...made, maxTokens: 16 }))).toMatchObject({ max_tokens: 8 });
    expect(bodyOf(entry('chat', { ...made, maxTokens: 5 }))).toMatchObject({ max_tokens: 5 });
  });

  it.each(['chat', 'chat-stream'] as const)(
    '%s keeps the requested length of a synthetic prompt',
    (kind) => {
      const made = { conversations: { kind: 'trace', system: null } } as const;
      const ask = () => ({ messages: [], maxTokens: null, tokens: 5 });
      const outcomeOf = (body: TrafficOf<'chat'>['body']): unknown => {
        const reader = prepareRequest(
          entry(kind, { ...made, body }),
          prepareContextWith({ ask }),
        ).read(contextWith());
        const isStream = kind === 'chat-stream';
        const type = isStream ? 'text/event-stream' : 'application/json';
        reader.onHeaders(headAt, 200, { 'content-type': type });
        const said = { role: 'assistant', content: 'Yes.' };
        const choice = { index: 0, finish_reason: 'stop', [isStream ? 'delta' : 'message']: said };
        const text = JSON.stringify({ choices: [choice] });
        reader.onChunk(
          readAt(0),
          Buffer.from(isStream ? `data: ${text}\n\ndata: [DONE]\n\n` : text),
        );
        return reader.ended(readAt(1));
      };
      expect(outcomeOf({})).toMatchObject({ answer: { tokens: { asked: 5 } } });
      expect(outcomeOf({ tools: [] })).not.toHaveProperty('answer.tokens.asked');
    },
  );

  it('draws the number of tokens from a distribution', () => {
    const traffic = entry('chat', { maxTokens: { kind: 'uniform', min: 3, max: 9 } });
    const most = Array.from({ length: 60 }, (_, seed) =>
      Number(bodyOf(traffic, emptyTargetMemory(), seed)['max_tokens']),
    );
    expect(new Set(most)).toEqual(new Set([3, 4, 5, 6, 7, 8, 9]));
  });

  it('names path, content type and accepted type, and asks for no compression', () => {
    const { method, path, headers } = prepareRequest(entry('chat'), prepareContextWith()).request;
    expect({ method, path, headers }).toEqual({
      method: 'POST',
      path: '/chat/completions',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
    });
  });

  it('draws every conversation, and the same one for the same draw', () => {
    const drawn = (seed: number): unknown =>
      bodyOf(entry('chat'), emptyTargetMemory(), seed)['messages'];
    const seeds = Array.from({ length: 40 }, (_, seed) => seed);
    expect(new Set(seeds.map((seed) => JSON.stringify(drawn(seed)))).size).toBe(3);
    expect(seeds.map(drawn)).toEqual(seeds.map(drawn));
  });

  it('prefers the entry’s further fields, except stream, with a note', () => {
    const memory = emptyTargetMemory();
    const body = bodyOf(entry('chat', { body: { max_tokens: 5, seed: 7, stream: true } }), memory);
    expect(body).toMatchObject({ max_tokens: 5, seed: 7 });
    expect(body).not.toHaveProperty('stream');
    expect(bodyOf(entry('chat-stream', { body: { stream: false } }), memory)['stream']).toBe(true);
    expect([...memory.notes]).toEqual([
      'The body field `stream: true` of chat traffic was not sent: the kind sets it. Use the kind chat-stream instead.',
      'The body field `stream: false` of chat-stream traffic was not sent: the kind sets it. Use the kind chat instead.',
    ]);
  });

  it('has no note for a stream field that agrees with the kind', () => {
    const memory = emptyTargetMemory();
    bodyOf(entry('chat', { body: { stream: false } }), memory);
    bodyOf(entry('chat-stream', { body: { stream: true } }), memory);
    expect(memory.notes.size).toBe(0);
  });

  it('does not depend on earlier requests of its entry', () => {
    const maxTokens = { kind: 'uniform', min: 3, max: 5 } as const;
    const often = { chat: entry('chat', { maxTokens }), 'chat-stream': entry('chat-stream') };
    for (let seed = 0; seed < 60; seed += 1) {
      const memory = {
        ...emptyTargetMemory(),
        usage: seed % 3 === 0 ? 'refused' : 'accepted',
      } as const;
      expect(bodyOf(often.chat, memory, seed)).toEqual(
        bodyOf(entry('chat', { maxTokens }), memory, seed),
      );
      expect(bodyOf(often['chat-stream'], memory, seed)).toEqual(
        bodyOf(entry('chat-stream'), memory, seed),
      );
    }
  });

  it('is serialized once if nothing in it varies', () => {
    const one = entry('chat', { conversations: conversations.slice(0, 1) });
    const written = () => prepareRequest(one, prepareContextWith()).request.body;
    expect(written()).toBe(written());
  });

  it('conforms to the contract', () => {
    for (const kind of ['chat', 'chat-stream'] as const) {
      expect(chatRequestSchema.safeParse(bodyOf(entry(kind))).success).toBe(true);
    }
  });
});

describe('a streamed chat request', () => {
  it('asks for a stream and for usage, until the target refuses', () => {
    const memory = emptyTargetMemory();
    const asking = { stream: true, stream_options: { include_usage: true } };
    expect(bodyOf(entry('chat-stream'), memory)).toMatchObject(asking);
    memory.usage = 'accepted';
    expect(bodyOf(entry('chat-stream'), memory)).toMatchObject(asking);
    memory.usage = 'refused';
    expect(bodyOf(entry('chat-stream'), memory)).not.toHaveProperty('stream_options');
  });

  it('does not change stream_options that the entry sets', () => {
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const traffic = entry('chat-stream', { body: { stream_options } });
    expect(bodyOf(traffic)['stream_options']).toEqual(stream_options);
  });

  it('accepts an event stream', () => {
    const { headers } = prepareRequest(entry('chat-stream'), prepareContextWith()).request;
    expect(headers['accept']).toBe('text/event-stream');
  });
});

it('a model list request has no body', () => {
  expect(prepareRequest({ kind: 'models', weight: 1 }, prepareContextWith()).request).toEqual({
    method: 'GET',
    path: '/models',
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    body: null,
  });
});
