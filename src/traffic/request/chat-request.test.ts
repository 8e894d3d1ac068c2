import { describe, expect, it } from 'vitest';
import type { ChatContent } from '../../model/workload/workload.ts';
import { prepareContextWith, sampleTraffic } from '../sample-traffic.fixture.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import { chatRequest } from './chat-request.ts';

const content: ChatContent = {
  messages: [{ role: 'user', content: 'Say no.' }],
  maxTokens: 8,
  own: {
    body: { temperature: 1, seed: 5, stream: false, max_completion_tokens: 3, n: 2 },
    headers: { 'x-a': 'b' },
  },
};
const drawn = { kind: 'trace', system: null } as const;
const asked = (own: ChatContent = content, kind: 'chat' | 'chat-stream' = 'chat-stream') => {
  const targetMemory = emptyTargetMemory();
  const traffic = {
    ...sampleTraffic[kind],
    conversations: drawn,
    body: { temperature: 0, top_p: 1 },
  };
  const made = chatRequest(traffic, {
    ...prepareContextWith({ targetMemory }),
    ask: () => own,
  });
  const { request, ownHeaders, size } = made.prepared;
  const body = JSON.parse(Buffer.from(request.body ?? []).toString()) as object;
  return { ...made, request, ownHeaders, size, body, notes: [...targetMemory.notes] };
};

describe('a request with its own fields', () => {
  it('prefers them to the fields of its entry, except `stream`, and has its own headers', () => {
    const { body, ownHeaders, size, prompt, request, notes } = asked();
    expect(body).toEqual({
      model: 'm',
      messages: content.messages,
      max_tokens: 8,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      top_p: 1,
      seed: 5,
      max_completion_tokens: 3,
      n: 2,
    });
    expect(ownHeaders).toEqual({ 'x-a': 'b' });
    // The seven characters of the question and all fields; two answers of three tokens.
    const fields =
      '{"temperature":1,"top_p":1,"seed":5,"stream":false,"max_completion_tokens":3,"n":2}';
    expect(size).toEqual({ characters: 7 + fields.length, maxTokens: 6 });
    expect(prompt).toEqual({ asked: undefined, sent: undefined, first: undefined });
    expect(request).toMatchObject({ method: 'POST', path: '/chat/completions' });
    expect(notes).toEqual([]);
  });

  it('is built anew each time, as are all drawn ones, while one of the plan is built once', () => {
    const targetMemory = emptyTargetMemory();
    const context = { ...prepareContextWith({ targetMemory }), ask: () => content };
    const ofPlan = () => chatRequest(sampleTraffic.chat, context);
    const ofSource = () => chatRequest({ ...sampleTraffic.chat, conversations: drawn }, context);
    const [one, other] = [ofPlan(), ofPlan()];
    expect(other.prepared).toBe(one.prepared);
    expect(one.prompt.first).toBeDefined();
    expect(other.prompt.first).toBe(one.prompt.first);
    expect(one.prepared.ownHeaders).toBeUndefined();
    expect(ofSource().prepared).not.toBe(ofSource().prepared);
  });
});

it.each(['chat', 'chat-stream'] as const)('%s asks for its kind of answer', (kind) => {
  const { request, body } = asked(content, kind);
  const accept = kind === 'chat' ? 'application/json' : 'text/event-stream';
  expect(request.headers).toEqual({
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
  });
  expect('stream_options' in body).toBe(kind === 'chat-stream');
});
