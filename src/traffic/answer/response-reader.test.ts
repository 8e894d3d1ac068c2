import type { ResponseHead } from '../../model/observation/outcome.ts';
import { gzipSync } from 'node:zlib';
import { instant } from '../../model/quantity.ts';
import { emptyTargetMemory, maxCollectedBytes } from '../traffic-handler.ts';
import { collectBody, malformed, withinMemory } from './response-reader.ts';
import { describe, expect, it } from 'vitest';
import { trafficKinds } from '../../model/workload/traffic.ts';
import {
  contextWith,
  everySplit,
  headAt,
  readAt,
  readerFor,
  replay,
} from '../kinds/replay.fixture.ts';

const headOf = (headers: Readonly<Record<string, string>>): ResponseHead | null => {
  const reader = readerFor('chat', contextWith());
  expect(reader.head).toBeNull();
  reader.onHeaders(headAt, 200, headers);
  return reader.head;
};

it('a limit without a time is noted once', () => {
  const context = contextWith();
  for (const limit of ['100', '200'])
    readerFor('chat', context).onHeaders(headAt, 200, { 'x-ratelimit-limit': limit });
  readerFor('chat', context).onHeaders(headAt, 200, { 'x-ratelimit-limit-minute': '100' });
  expect([...context.targetMemory.notes]).toEqual([
    'The headers of the answers declare 100 requests and name no time: a minute is assumed.',
  ]);
});

it('limits of hours and days are noted once', () => {
  const context = contextWith();
  for (const [limit, day] of [
    ['500', '9000'],
    ['600', '8000'],
  ] as const)
    readerFor('chat', context).onHeaders(headAt, 200, {
      'x-ratelimit-limit-hour': limit,
      'x-ratelimit-limit-day': day,
    });
  readerFor('chat', context).onHeaders(headAt, 200, {});
  expect([...context.targetMemory.notes]).toEqual([
    'The headers of the answers also declare limits of longer times: 500 requests an hour, 9,000 requests a day.',
  ]);
});

describe('the head of a response', () => {
  it('has its instant, status, quota and the server’s request id', () => {
    expect(
      headOf({
        'x-ratelimit-api_key-limit-requests': '60',
        'x-ratelimit-api_key-remaining-requests': '59',
        'request-id': 'r1',
      }),
    ).toEqual({
      at: headAt,
      status: 200,
      quota: { limitRequests: 60, remainingRequests: 59, limitTokens: null, remainingTokens: null },
      serverId: 'r1',
    });
  });

  it('has null for what is missing', () => {
    expect(headOf({})).toEqual({ at: headAt, status: 200, quota: null, serverId: null });
  });

  it('knows several names for the server’s request id and limits its length', () => {
    expect(headOf({ 'x-litellm-call-id': 'l', 'x-request-id': 'x' })?.serverId).toBe('x');
    expect(headOf({ 'x-litellm-call-id': 'l' })?.serverId).toBe('l');
    expect(headOf({ 'x-request-id': 'x'.repeat(500) })?.serverId).toHaveLength(128);
  });
});

describe.each(trafficKinds)('a response to %s', (kind) => {
  const error =
    '{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}';
  const refusal = {
    form: 'error',
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'slow down',
  };

  it('is limited by status 429, with its retry hint, however it is cut', () => {
    for (const reads of everySplit(Buffer.from(error))) {
      expect(replay(kind, reads, { status: 429, headers: { 'retry-after': '60' } })).toEqual({
        kind: 'limited',
        refusal: { status: 429, ...refusal },
        unit: null,
        retryAfter: 60_000,
        resetIn: null,
      });
    }
    expect(replay(kind, [], { status: 429, headers: {} })).toMatchObject({
      retryAfter: null,
      refusal: { form: 'empty' },
    });
  });

  it('says which limit a 429 names and when it resets, by the date of the response', () => {
    const body =
      '{"error":{"message":"Rate limit exceeded for api_key: 1f. Limit type: tokens. Current limit: 9, Remaining: 0. Limit resets at: 2026-03-01 12:00:42 UTC","type":"None","param":"None","code":"429"}}';
    const date = 'Sun, 01 Mar 2026 12:00:01 GMT';
    const refused = (headers: Record<string, string>) =>
      replay(kind, [Buffer.from(body)], { status: 429, headers });
    expect(refused({ date, 'retry-after': 'Sun, 01 Mar 2026 12:00:31 GMT' })).toMatchObject({
      unit: 'tokens',
      retryAfter: 30_000,
      resetIn: 41_000,
    });
    expect(refused({ 'retry-after': 'Sun, 01 Mar 2026 12:00:31 GMT' })).toMatchObject({
      retryAfter: null,
      resetIn: null,
    });
  });

  it.each([302, 400, 401, 402, 404, 413, 500, 503])('is refused by status %d', (status) => {
    expect(replay(kind, [Buffer.from(error)], { status })).toEqual({
      kind: 'refused',
      refusal: { status, ...refusal },
    });
  });

  it('stays limited or refused if the connection breaks after the head', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    const half = [Buffer.from(error.slice(0, 40))];
    expect(replay(kind, half, { status: 429, failure })).toMatchObject({ kind: 'limited' });
    expect(replay(kind, [], { status: 500, failure })).toMatchObject({ kind: 'refused' });
  });

  it('is broken if the connection breaks before the head', () => {
    const reader = readerFor(kind, contextWith());
    expect(reader.failed(readAt(0), 'connect-refused', 'nobody listens')).toEqual({
      kind: 'broken',
      cause: 'connect-refused',
      detail: 'nobody listens',
      partial: null,
    });
  });

  it('keeps at most 8 KiB of a refusal and asks to be aborted at that limit', () => {
    const reader = readerFor(kind, contextWith({ caps: { bytes: 20_000, events: 10 } }));
    reader.onHeaders(headAt, 500, {});
    reader.onChunk(readAt(0), Buffer.from(error));
    reader.onChunk(readAt(1), Buffer.alloc(20_000 - error.length, ' '));
    expect(reader.abortReason).toBeNull();
    reader.onChunk(readAt(2), Buffer.from(' '));
    expect(reader.abortReason).toMatchObject({ cause: 'too-large' });
    expect(reader.failed(readAt(3), 'too-large', 'cut')).toEqual({
      kind: 'refused',
      refusal: { status: 500, ...refusal },
    });
  });

  it('is refused if it is compressed, too', () => {
    const zipped = [gzipSync(error)];
    expect(replay(kind, zipped, { status: 400, headers: { 'content-encoding': 'gzip' } })).toEqual({
      kind: 'refused',
      refusal: { status: 400, ...refusal },
    });
    const unknown = { status: 400, headers: { 'content-encoding': 'zstd' } };
    expect(replay(kind, zipped, unknown)).toMatchObject({
      refusal: { form: 'text', message: 'a body in the content encoding zstd' },
    });
  });

  it('is broken when it exceeds the byte limit, even if it ends in the same read', () => {
    const context = contextWith({ caps: { bytes: 5, events: 10 } });
    expect(replay(kind, [Buffer.from('{"a":1}')], {}, context)).toMatchObject({
      kind: 'broken',
      cause: 'too-large',
    });
  });

  it('is empty without a body', () => {
    expect(replay(kind, [])).toMatchObject({ kind: 'malformed', issue: 'empty', partial: null });
  });
});

describe('the memory of all answers that are collected', () => {
  const memory = emptyTargetMemory();
  const open = () =>
    withinMemory(
      memory,
      collectBody(1000, () => malformed('empty', 'ended')),
    );

  it('is given back when an answer ends, whole or not', () => {
    const [whole, broken] = [open(), open()];
    whole.onBytes(instant(0), new Uint8Array(300));
    broken.onBytes(instant(0), new Uint8Array(200));
    expect(memory.collectedBytes).toBe(500);
    whole.outcome(false);
    broken.partial();
    expect(memory.collectedBytes).toBe(0);
  });

  it('has no room for the answer that would pass its limit', () => {
    const [first, next] = [open(), open()];
    first.onBytes(instant(0), new Uint8Array(10));
    memory.collectedBytes += maxCollectedBytes - 10;
    next.onBytes(instant(0), new Uint8Array(1));
    expect(next.abortReason?.detail).toContain('held more than 512 MiB');
    expect(first.abortReason).toBeNull();
    expect(memory.collectedBytes).toBe(maxCollectedBytes);
  });
});
