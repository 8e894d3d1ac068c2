import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { RequestWriter } from './request-head.ts';

/** A socket that writes bytes at once, or buffers them until it is resumed. */
const socketOf = (isSlow: boolean) => {
  const held: Buffer[] = [];
  const socket = new Writable({
    decodeStrings: true,
    write: (bytes: Buffer, _, done) => {
      held.push(bytes);
      if (!isSlow) done();
    },
    writev: (chunks, done) => {
      for (const { chunk } of chunks) held.push(chunk as Buffer);
      if (!isSlow) done();
    },
  });
  return { socket, held, text: () => Buffer.concat(held).toString('latin1') };
};

const body = (text: string): Uint8Array => new TextEncoder().encode(text);

it('writes head and body together, however large', () => {
  const writer = new RequestWriter();
  for (const size of [0, 10, 65_535, 65_536, 1_000_000]) {
    const { socket, text } = socketOf(false);
    writer.write(socket, 'head\xe4', size === 0 ? null : body('b'.repeat(size)));
    expect(text() === `head\xe4${'b'.repeat(size)}`).toBe(true);
  }
});

it('does not overwrite what a slow socket has not sent yet', () => {
  const writer = new RequestWriter();
  const slow = socketOf(true);
  writer.write(slow.socket, 'first', body(' body'));
  writer.write(socketOf(false).socket, 'second', body(' body'));
  expect(slow.text()).toBe('first body');
});

it('keeps many requests on slow sockets separate, in one buffer while it has room', () => {
  const writer = new RequestWriter();
  const socketsOf = Array.from({ length: 200 }, (_, i) => {
    const slow = socketOf(true);
    writer.write(slow.socket, `head ${i} `, body('b'.repeat(1000 + i)));
    return slow;
  });
  for (const [i, { text }] of socketsOf.entries()) {
    expect(text()).toBe(`head ${i} ${'b'.repeat(1000 + i)}`);
  }
  const buffers = new Set(socketsOf.map(({ held }) => held[0]!.buffer));
  expect(buffers.size).toBe(4);
});
