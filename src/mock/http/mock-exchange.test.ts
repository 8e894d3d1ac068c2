import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { type MockExchange, openEventStream } from './mock-exchange.ts';

/** Opens a stream to a client with this version of HTTP; `taken` is what has reached the socket at once. */
const opened = (version: '1.0' | '1.1') => {
  const pieces: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (piece: Buffer, _, done) => {
      pieces.push(piece.toString());
      done();
    },
  }) as Socket;
  const request = new IncomingMessage(socket);
  request.httpVersionMajor = 1;
  request.httpVersionMinor = Number(version.slice(2));
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  const stream = openEventStream({
    response,
    writeHead: (status: number, headers: Record<string, string>) =>
      response.writeHead(status, headers),
    shapeStream: (plain: unknown) => plain,
  } as unknown as MockExchange);
  return { stream, response, taken: (): string => pieces.splice(0).join('') };
};

it('events reach the socket at once, each write as a chunk with its length in bytes', () => {
  const { stream, taken } = opened('1.1');
  taken();
  stream.write('data: one\n\n');
  expect(taken()).toBe('b\r\ndata: one\n\n\r\n');
  stream.write('data: é, and twenty more\n\n');
  expect(taken()).toBe('1b\r\ndata: é, and twenty more\n\n\r\n');
  stream.write(Buffer.from('data: é\n\n'));
  expect(taken()).toBe('a\r\ndata: é\n\n\r\n');
});

it('a client with HTTP/1.0 gets events without lengths', async () => {
  const { stream, taken, response } = opened('1.0');
  stream.write('data: one\n\n');
  stream.end();
  await new Promise((resolve) => response.once('finish', resolve));
  expect(taken()).toMatch(/\r\n\r\ndata: one\n\n$/);
});
