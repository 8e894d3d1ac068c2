import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { countReadBytes } from '../host/clean-heap.ts';
import { startClock } from '../host/clock.ts';
import { forcedCollections } from '../host/forced-collections.fixture.ts';
import { type AutocannonConnection, ObservedConnection } from './autocannon-connection.ts';

const mebibyte = 1024 * 1024;

/** Begins a request on a connection that is already open, and returns what reads the bytes of its answer. */
const startAnswer = () => {
  const chunks: number[] = [];
  const client = new EventEmitter() as AutocannonConnection;
  const context = { clock: startClock(), socketPath: null, tlsOptions: {} } as never;
  const connection = new ObservedConnection(client, context, 1, () => ({
    onConnected: () => undefined,
    onSent: () => undefined,
    onReconnect: () => undefined,
    onHeaders: () => undefined,
    onChunk: (_at, { length }) => chunks.push(length),
    onEnd: () => undefined,
    onFailure: () => undefined,
  }));
  client.emit('request');
  return { connection, chunks, read: (bytes: Buffer) => client.parser.execute(bytes) };
};

it('the reads of a saturating load count towards the collection of young objects', async () => {
  const { chunks, read } = startAnswer();
  read(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${9 * mebibyte}\r\n\r\n`));
  // Others of this process may have read less than 4 MiB before.
  countReadBytes(4 * mebibyte);
  const part = Buffer.alloc(mebibyte);
  const readParts = (count: number) =>
    forcedCollections(() => {
      for (let n = 0; n < count; n += 1) read(part);
    });
  expect([await readParts(3), await readParts(1), await readParts(4)]).toEqual([0, 1, 1]);
  expect(chunks).toEqual(Array.from({ length: 8 }, () => mebibyte));
});
