import { expect, it } from 'vitest';
import type { Exchange, Transport } from '../../../model/observation/exchange.ts';
import { openStream } from './open-stream.ts';

type Handlers = Parameters<Transport['send']>[1];

/** A stream whose events come as the test says. */
const opened = () => {
  let handlers!: Handlers;
  const aborted: unknown[] = [];
  const transport = {
    send: (_: unknown, given: Handlers) => {
      handlers = given;
      return { abort: (...why: unknown[]) => aborted.push(why) } as unknown as Exchange;
    },
  } as unknown as Transport;
  const stream = openStream(transport, { now: () => 7 } as never, {} as never);
  const feed = (text: string): void => {
    handlers.onChunk(0 as never, Buffer.from(text));
  };
  return {
    stream,
    feed,
    handlers: handlers as never as Record<string, (...of: unknown[]) => void>,
    aborted,
  };
};
const piece = (content: string, name = 'content'): string =>
  `data: {"choices":[{"delta":{"${name}":"${content}"}}]}\n\n`;

it('counts the events with a part of an answer, wherever they are cut', () => {
  const { stream, feed } = opened();
  expect(stream).toMatchObject({ begun: 7, events: 0, status: null, hasEnded: false });
  const whole = piece('a') + piece('') + piece('b', 'reasoning') + piece('c', 'reasoning_content');
  for (const letter of whole) feed(letter);
  expect([stream.events, stream.text]).toEqual([3, whole]);
  feed('data: [DONE]\n\n: x\n');
  expect(stream.events).toBe(3);
  feed(piece('d').trimEnd());
  expect(stream.events).toBe(3);
  feed('\n');
  expect(stream.events).toBe(4);
});

it('keeps half a mebibyte of its text and what ends it', () => {
  const { stream, feed, handlers, aborted } = opened();
  handlers['onHeaders']!(0, 200, { a: 'b' });
  expect(stream).toMatchObject({ status: 200, headers: { a: 'b' } });
  feed('x'.repeat(512 * 1024 - 1));
  feed('yz');
  feed('never');
  expect(stream.text).toHaveLength(512 * 1024 + 1);
  stream.hangUp();
  expect(aborted).toEqual([['aborted', 'the client hung up']]);
  handlers['onFailure']!();
  expect(stream.hasEnded).toBe(true);
});
