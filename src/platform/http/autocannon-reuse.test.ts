// @gate 1 s
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answer, saturateServer, serving } from './saturate.fixture.ts';

const whole = answer('whole');
const closing = (answers: number): string =>
  `The server closes its connections after ${answers === 1 ? 'each answer' : `${answers} answers`} without announcing it: 3 in a row ended like that. From then on they were not used again after that.`;

describe('a saturating connection', () => {
  it.each([1, 2])(
    'learns that the server ends it after as many answers as %d, and neither loses nor repeats a request',
    async (answers) => {
      const served = new Map<Socket, number>();
      const server = await serving((socket) => {
        const n = (served.get(socket) ?? 0) + 1;
        served.set(socket, n);
        if (n === answers) socket.end(whole);
        else socket.write(whole);
      });
      const { outcomes, notes } = await saturateServer(server.url, 10);
      const origin = (n: number): string => (n % answers === 0 ? 'new' : 'reused');
      expect(outcomes).toEqual(
        Array.from({ length: 10 }, (_, n) => `${n % 2} ${origin(n)} 200 whole`),
      );
      expect(server.requests).toHaveLength(10);
      expect(notes).toEqual([closing(answers)]);
    },
  );

  it('does not conclude from ends between which a connection was used again', async () => {
    const connections: Socket[] = [];
    const seen = new Set<Socket>();
    const server = await serving((socket) => {
      if (!connections.includes(socket)) connections.push(socket);
      const isSecondAnswer = seen.has(socket);
      seen.add(socket);
      // The first two and the fourth end after an answer; the third announces its end with a second one.
      const place = connections.indexOf(socket);
      if (place === 2 && isSecondAnswer) socket.end(answer('x', 'connection: close\r\n'));
      else if (place === 0 || place === 1 || place === 3) socket.end(whole);
      else socket.write(whole);
    });
    const { outcomes, notes } = await saturateServer(server.url, 7);
    expect(outcomes.map((each) => each.split(' ')[1])).toEqual([
      'new',
      'new',
      'new',
      'reused',
      'new',
      'new',
      'reused',
    ]);
    expect(notes).toEqual([]);
  });

  it('says nothing of ends that the server announces, or that the scenario asks for', async () => {
    const announced = await serving((socket) => socket.end(answer('x', 'connection: close\r\n')));
    expect((await saturateServer(announced.url, 5)).notes).toEqual([]);
    const kept = await serving((socket) => socket.write(whole));
    const { outcomes, notes } = await saturateServer(kept.url, 4, { wire: { reuse: false } });
    expect(outcomes.filter((each) => each.includes('new'))).toHaveLength(4);
    expect([notes, kept.connections()]).toEqual([[], 4]);
  });

  it('learns of ends after chunked answers without taking first answers for kept connections', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n';
    const server = await serving((socket) => socket.end(chunked));
    const { outcomes, notes } = await saturateServer(server.url, 6);
    expect(outcomes).toEqual(Array.from({ length: 6 }, (_, n) => `${n % 2} new 200 hi`));
    expect(notes).toEqual([closing(1)]);
  });

  it('is used as often as the scenario says', async () => {
    const server = await serving((socket) => socket.write(whole));
    const { outcomes } = await saturateServer(server.url, 6, {
      wire: { maxRequestsPerConnection: 3 },
    });
    expect(outcomes.map((each) => each.split(' ')[1])).toEqual([
      'new',
      'reused',
      'reused',
      'new',
      'reused',
      'reused',
    ]);
    expect(server.connections()).toBe(2);
  });

  it.each<readonly [string, (socket: Socket) => unknown]>([
    ['ended', (socket) => socket.end()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ])(
    'that the server has %s after it read a request is replaced, and the request is not repeated',
    async (_, act) => {
      const server = await serving((socket, n) => (n === 1 ? act(socket) : socket.write(whole)));
      const { outcomes } = await saturateServer(server.url, 4);
      expect(outcomes).toEqual([
        '0 new 200 whole',
        '1 reused closed-on-reuse',
        '0 new 200 whole',
        '1 reused 200 whole',
      ]);
      expect(server.connections()).toBe(2);
      expect(server.requests).toHaveLength(4);
    },
  );

  it('that the server ends in the middle of an answer is not replaced for its request', async () => {
    const cut = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nha';
    const server = await serving((socket, n) => (n === 1 ? socket.end(cut) : socket.write(whole)));
    const { outcomes } = await saturateServer(server.url, 3);
    expect(outcomes).toEqual(['0 new 200 whole', '1 reused 200 closed-early', '0 new 200 whole']);
    expect(server.requests).toHaveLength(3);
  });

  it('reads chunked answers, and may be used again after them', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const server = await serving((socket) => {
      socket.write(`${head}3\r\nabc\r\n`);
      setImmediate(() => socket.write('2\r\nde\r\n0\r\n\r\n'));
    });
    const { outcomes } = await saturateServer(server.url, 3);
    expect(outcomes).toEqual(['0 new 200 abcde', '1 reused 200 abcde', '0 reused 200 abcde']);
  });

  it('sends nothing after the run has stopped, not even over an aborted connection', async () => {
    const server = await serving((socket) => socket.write(answer('long')));
    const { outcomes } = await saturateServer(server.url, 1, {
      inAnswer: (exchange) => exchange.abort('too-large', 'by hand'),
    });
    expect(outcomes).toEqual(['0 new 200 too-large']);
    expect(server.requests).toHaveLength(1);
  });

  it('is one of several, each of which sends its own requests in turn', async () => {
    const server = await serving((socket) => socket.write(whole));
    const { outcomes } = await saturateServer(server.url, 30, { connections: 3 });
    expect(outcomes.filter((each) => each.includes('new'))).toEqual(
      Array.from({ length: 3 }, () => '0 new 200 whole'),
    );
    expect(server.connections()).toBe(3);
  });

  it('opens over TLS, and is open once the handshake is over', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
    });
    const server = tls.createServer({ key, cert }, (socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(whole));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}/v1`;
    const { outcomes } = await saturateServer(url, 2, { wire: { verifyTls: false } });
    expect(outcomes).toEqual(['0 new 200 whole', '1 reused 200 whole']);
    const plain = createServer((socket) => socket.end('no TLS')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    onTestFinished(() => void plain.close());
    const other = `https://127.0.0.1:${(plain.address() as AddressInfo).port}/v1`;
    const refused = await saturateServer(other, 2, { wire: { verifyTls: false } });
    expect(refused.outcomes).toEqual(['0 tls', '1 tls']);
  });
});
