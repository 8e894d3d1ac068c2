import { describe, expect, it } from 'vitest';
import { instant } from '../../../model/quantity.ts';
import { findProbeModels } from './find-probe-models.ts';
import type { ProbeSession } from './send-probe-request.ts';

/** A session with a server that answers the request for the model list like this. */
const sessionWith = (status: number, body: unknown): ProbeSession => ({
  transport: {
    send: (_, observer) => {
      observer.onSent(instant(1));
      observer.onHeaders(instant(2), status, {});
      observer.onChunk(instant(2), Buffer.from(JSON.stringify(body)));
      observer.onEnd(instant(3));
      return { abort: () => undefined };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  },
  clock: {
    now: () => instant(0),
    read: () => instant(0),
    every: () => () => undefined,
    alarm: () => ({ set: () => undefined, stop: () => undefined }),
  },
  wallZero: 0,
  nextHeaders: () => ({}),
  keyHeader: () => ({}),
  redact: (text) => text,
  timeoutFor: 1000,
});

const find = (body: unknown, chat?: string, status = 200) =>
  findProbeModels(sessionWith(status, body), 'sk-a', chat);

describe('the models of an examination', () => {
  it.each([
    ['LM Studio', { object: 'list', data: [{ id: 'a', object: 'model', owned_by: 'me' }] }, 'a'],
    ['OpenRouter', { data: [{ id: 'a/b', name: 'A: B' }] }, 'a/b'],
    [
      'Together',
      [
        { id: 'a/m2-32k', type: 'embedding' },
        { id: 'a/b', type: 'chat' },
      ],
      'a/b',
    ],
    ['Ollama', { data: [{ id: 'nomic-embed-text:latest' }, { id: 'llama3.2:1b' }] }, 'llama3.2:1b'],
    ['a guard', { data: [{ id: 'whisper-1' }, { id: 'llama-guard' }] }, 'llama-guard'],
  ])('are found in the list of %s', async (_, body, chat) => {
    expect(await find(body)).toMatchObject({ chat, otherChat: null });
  });

  it('are two for chats and one each for speech and transcription where the list has them', async () => {
    const ids = ['weir/whisper', 'weir-tts', 'text-embedding', 'a', 'b'];
    expect(await find({ data: ids.map((id) => ({ id })) })).toEqual({
      chat: 'a',
      otherChat: 'b',
      speech: 'weir-tts',
      transcription: 'weir/whisper',
      voice: 'Emily.wav',
      listed: ids,
    });
  });

  it('are the one that is named where the server has no list', async () => {
    const expected = { chat: 'gpt', otherChat: null, speech: null, listed: [] };
    expect(await find('not found', 'gpt', 404)).toMatchObject(expected);
    expect(await find({ models: [] }, 'gpt')).toMatchObject(expected);
  });

  it.each([
    [200, { object: 'list', data: [] }, undefined, /has no chat model: name one with --model/],
    [200, { object: 'list', data: null }, undefined, /has no chat model: name one with --model/],
    [200, { models: [{ name: 'a' }] }, undefined, /cannot be read: expected \{"data": /],
    [404, {}, undefined, /was refused with status 404: the base address ends in its version, once/],
    [401, {}, 'gpt', /was refused with status 401: check the key.*: --model \S+ --no-preflight$/],
    [
      403,
      {},
      undefined,
      /was refused with status 403: check the key.* --model \S+ --no-preflight$/,
    ],
    [500, {}, undefined, /was refused with status 500: .* do without it: --model/],
  ])('cannot be had from status %i and %j', async (status, body, chat, message) => {
    expect(await find(body, chat, status)).toMatch(message);
  });

  it('are reported to have no list only for status 404', async () => {
    let missing = 0;
    const findIn = (status: number) =>
      findProbeModels(sessionWith(status, { data: [{ id: 'a' }] }), 'sk-a', 'a', async () => {
        missing += 1;
      });
    await findIn(200);
    await findIn(405);
    expect(missing).toBe(0);
    await findIn(404);
    expect(missing).toBe(1);
  });
});
