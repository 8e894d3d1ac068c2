import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readBody } from './request-body.ts';

/** Sends parts of a body, and returns what the reader of at most ten bytes makes of them. */
const bodiesOf = async (parts: readonly string[], length?: number) => {
  const stream = new PassThrough();
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  const found: (string | null)[] = [];
  readBody(Object.assign(stream, { headers }) as unknown as IncomingMessage, 10, (body) => {
    found.push(body === null ? null : Buffer.from(body).toString());
  });
  for (const part of parts) {
    stream.write(part);
    // Each part comes in a turn of the event loop.
    await setImmediate();
  }
  stream.end();
  await setImmediate();
  return { found, isRead: stream.readableEnded };
};

describe('the body of a request', () => {
  it('is given once, whole, in whatever parts it comes', async () => {
    for (const parts of [['ten  bytes'], ['ten', '  ', 'bytes']])
      expect((await bodiesOf(parts)).found).toEqual(['ten  bytes']);
    expect((await bodiesOf([])).found).toEqual(['']);
  });

  it('that is too large is reported once, but still read to its end', async () => {
    const tooLarge = { found: [null], isRead: true };
    expect(await bodiesOf(['eleven byte', 's', 's'])).toEqual(tooLarge);
    expect(await bodiesOf(['five5', 'six666', 'more', 'more'])).toEqual(tooLarge);
    expect(await bodiesOf(['short'], 11)).toEqual(tooLarge);
  });
});
