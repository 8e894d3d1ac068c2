import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { startClock } from '../host/clock.ts';
import { type Certificates, proxyFor } from '../connection/connector.ts';
import { preflightTarget } from './preflight.ts';
import { answerFrames, rawHttp2Server } from './raw-http2.fixture.ts';
import { socketTransport } from '../socket/socket-transport.ts';
import { undiciTransport } from './undici-transport.ts';

const direct: ConnectionSettings = {
  http2: false,
  proxy: { kind: 'none' },
  caFile: null,
  verifyTls: true,
};

let certificate: { key: string; cert: string };
beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  certificate = { key, cert };
});

const authorities = (): Certificates => ({ authorities: certificate.cert, client: null });

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const listen = async (server: net.Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

const answer = (_: unknown, response: http.ServerResponse): void => {
  response.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
};

/** What connects by HTTP/1.1, one as the other. */
const transports = [
  { name: 'undici', open: undiciTransport },
  { name: 'socket', open: socketTransport },
] as const;
type Open = (typeof transports)[number]['open'];

/** How one GET ends: the status, or the cause of its failure. */
const fetchOnce = async (
  open: Open,
  url: string,
  wire: ConnectionSettings,
  certificates: Certificates | null = null,
): Promise<number | string> => {
  const transport = open({ url, wire, certificates }, startClock());
  const { promise, resolve } = Promise.withResolvers<number | string>();
  let status = 0;
  transport.send(
    { method: 'GET', path: '/models', headers: {}, body: null },
    {
      onConnected: () => undefined,
      onReconnect: () => undefined,
      onSent: () => undefined,
      onHeaders: (_, seen) => {
        status = seen;
      },
      onChunk: () => undefined,
      onEnd: () => resolve(status),
      onFailure: (_, cause) => resolve(cause),
    },
  );
  const ended = await promise;
  await transport.close();
  return ended;
};

/** A proxy that tunnels by CONNECT, counts its tunnels and checks credentials. */
const startProxy = async (credentials: string | null) => {
  const tunnels: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, socket) => {
    const expected = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`;
    if (credentials !== null && request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { port: await listen(proxy), tunnels };
};

describe.each(transports)('TLS by $name', ({ open }) => {
  it('refuses a certificate of an unknown authority', async () => {
    const port = await listen(https.createServer(certificate, answer));
    expect(await fetchOnce(open, `https://localhost:${port}/v1`, direct)).toBe('tls');
  });

  it('accepts it with the authority that the scenario names', async () => {
    const port = await listen(https.createServer(certificate, answer));
    expect(await fetchOnce(open, `https://localhost:${port}/v1`, direct, authorities())).toBe(200);
  });

  it('accepts it when verification is switched off', async () => {
    const port = await listen(https.createServer(certificate, answer));
    expect(
      await fetchOnce(open, `https://localhost:${port}/v1`, { ...direct, verifyTls: false }),
    ).toBe(200);
  });

  it('connects to a name with several addresses, and resumes the session', async () => {
    const resumed: boolean[] = [];
    const server = https.createServer(certificate, (request, response) => {
      resumed.push((request.socket as TLSSocket).isSessionReused());
      response.setHeader('connection', 'close');
      answer(request, response);
    });
    const port = await listen(server);
    const base = {
      url: `https://localhost:${port}/v1`,
      wire: direct,
      certificates: { authorities: certificate.cert, client: null },
    };
    const transport = open(base, startClock());
    for (let n = 0; n < 2; n += 1) {
      await new Promise<void>((resolve, reject) => {
        transport.send(
          { method: 'GET', path: '/models', headers: {}, body: null },
          {
            onConnected: () => undefined,
            onReconnect: () => undefined,
            onSent: () => undefined,
            onHeaders: () => undefined,
            onChunk: () => undefined,
            onEnd: () => resolve(),
            onFailure: (_, cause) => reject(new Error(cause)),
          },
        );
      });
    }
    await transport.close();
    expect(resumed).toEqual([false, true]);
  });

  it('is named as the cause when the port speaks plain HTTP', async () => {
    const port = await listen(http.createServer(answer));
    expect(await fetchOnce(open, `https://localhost:${port}/v1`, direct)).toBe('tls');
  });
});

describe('HTTP/2', () => {
  const secure = async (): Promise<number> =>
    listen(
      http2.createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
        response.setHeader('content-type', 'text/plain');
        response.statusCode = request.httpVersion === '2.0' ? 200 : 505;
        response.end(request.httpVersion);
      }),
    );

  it('is used when the scenario asks for it and the server offers it', async () => {
    const url = `https://localhost:${await secure()}/v1`;
    expect(await fetchOnce(undiciTransport, url, { ...direct, http2: true }, authorities())).toBe(
      200,
    );
  });

  it('is not used otherwise', async () => {
    const url = `https://localhost:${await secure()}/v1`;
    expect(await fetchOnce(undiciTransport, url, direct, authorities())).toBe(505);
  });

  it('a stream that is reset in its middle is not a whole answer', async () => {
    const { server } = rawHttp2Server(certificate, (stream) => [
      answerFrames.headers(stream),
      answerFrames.data(stream, 'half'),
      answerFrames.reset(stream, 8),
    ]);
    const url = `https://localhost:${await listen(server)}/v1`;
    expect(await fetchOnce(undiciTransport, url, { ...direct, http2: true }, authorities())).toBe(
      'reset',
    );
  });

  it('a stream that the server refuses is one failed request, and not sent again', async () => {
    const { server, streams } = rawHttp2Server(certificate, (stream) => [
      answerFrames.reset(stream, 7),
    ]);
    const url = `https://localhost:${await listen(server)}/v1`;
    expect(await fetchOnce(undiciTransport, url, { ...direct, http2: true }, authorities())).toBe(
      'reset',
    );
    expect(streams).toEqual([1]);
  });
});

describe.each(transports)('a proxy, by $name,', ({ open }) => {
  it('carries plain requests through a tunnel', async () => {
    const port = await listen(http.createServer(answer));
    const proxy = await startProxy(null);
    const url = `http://127.0.0.1:${proxy.port}`;
    const wire: ConnectionSettings = { ...direct, proxy: { kind: 'url', url } };
    expect(await fetchOnce(open, `http://127.0.0.1:${port}/v1`, wire)).toBe(200);
    expect(proxy.tunnels).toEqual([`127.0.0.1:${port}`]);
  });

  it('carries TLS end to end, with its credentials', async () => {
    const port = await listen(https.createServer(certificate, answer));
    const proxy = await startProxy('user:pass');
    const url = `http://user:pass@127.0.0.1:${proxy.port}`;
    const wire: ConnectionSettings = { ...direct, proxy: { kind: 'url', url } };
    expect(await fetchOnce(open, `https://localhost:${port}/v1`, wire, authorities())).toBe(200);
  });

  it('that refuses is reported as a separate cause', async () => {
    const port = await listen(http.createServer(answer));
    const proxy = await startProxy('user:pass');
    const url = `http://127.0.0.1:${proxy.port}`;
    const wire: ConnectionSettings = { ...direct, proxy: { kind: 'url', url } };
    expect(await fetchOnce(open, `http://127.0.0.1:${port}/v1`, wire)).toBe('proxy');
  });
});

describe('a proxy', () => {
  it('from the environment is used only if the plan says so', () => {
    vi.stubEnv('http_proxy', 'http://proxy.example:3128');
    vi.stubEnv('no_proxy', '');
    try {
      const target = 'http://target.example/v1';
      expect(proxyFor(target, { kind: 'none' })).toBeNull();
      expect(proxyFor(target, { kind: 'environment' })?.host).toBe('proxy.example:3128');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe.each(transports)(
  'a request by $name that is aborted before it has a connection',
  ({ open }) => {
    /** A port that takes connections and never says a word; resolves when the first of them is closed. */
    const silent = async () => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const { promise: opened, resolve: heard } = Promise.withResolvers<void>();
      const server = net.createServer((socket) => {
        socket.once('data', () => heard());
        socket.once('close', () => resolve());
        socket.on('error', () => undefined);
      });
      return { port: await listen(server), opened, closed };
    };
    const silently = {
      onConnected: () => undefined,
      onReconnect: () => undefined,
      onSent: () => undefined,
      onHeaders: () => undefined,
      onChunk: () => undefined,
      onEnd: () => undefined,
    };
    const begin = (url: string, wire: ConnectionSettings) => {
      const transport = open({ url, wire, certificates: null }, startClock());
      const { promise: failed, resolve } = Promise.withResolvers<string>();
      const exchange = transport.send(
        { method: 'GET', path: '/models', headers: {}, body: null },
        { ...silently, onFailure: (_, cause) => resolve(cause) },
      );
      return { transport, exchange, failed };
    };

    it('leaves no TLS handshake open', async () => {
      const { port, opened, closed } = await silent();
      const { exchange, failed } = begin(`https://127.0.0.1:${port}/v1`, direct);
      await opened;
      exchange.abort('deadline-connect', 'too slow');
      expect(await failed).toBe('deadline-connect');
      await expect(closed).resolves.toBeUndefined();
    });

    it('leaves no tunnel open', async () => {
      const { port, opened, closed } = await silent();
      const url = `http://127.0.0.1:${port}`;
      const { exchange } = begin('http://127.0.0.1:9/v1', {
        ...direct,
        proxy: { kind: 'url', url },
      });
      await opened;
      exchange.abort('deadline-connect', 'too slow');
      await expect(closed).resolves.toBeUndefined();
    });

    it('ends when its transport is closed', async () => {
      const { port, opened, closed } = await silent();
      const { transport } = begin(`https://127.0.0.1:${port}/v1`, direct);
      await opened;
      await transport.close();
      await expect(closed).resolves.toBeUndefined();
    });
  },
);

describe('the check of the target', () => {
  const look = (baseUrl: string) =>
    preflightTarget({
      url: baseUrl,
      wire: direct,
      certificates: null,
      path: '/models',
      headers: {},
    });
  const message = async (url: string): Promise<string> => {
    const found = await look(url);
    return found.kind === 'reached' ? `reached ${found.status}` : `${found.kind}: ${found.message}`;
  };

  it('reaches a gateway with any response status', async () => {
    const port = await listen(http.createServer(answer));
    expect(await look(`http://127.0.0.1:${port}/v1`)).toEqual({ kind: 'reached', status: 200 });
  });

  it('reports that nothing listens', async () => {
    const server = net.createServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await message(`http://127.0.0.1:${port}/v1`)).toContain('nothing listens there');
  });

  it('reports that a name does not resolve', async () => {
    expect(await message('http://no-such-host.invalid/v1')).toContain('does not resolve');
  });

  it('reports that the port does not speak HTTP', async () => {
    const port = await listen(net.createServer((socket) => socket.end('220 ready\r\n')));
    expect(await message(`http://127.0.0.1:${port}/v1`)).toContain('does not speak HTTP');
  });

  /** A server that accepts connections and says nothing. */
  const silent = (): Promise<number> => {
    const sockets = new Set<net.Socket>();
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    return listen(
      net.createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }),
    );
  };

  it.each([
    ['while TLS begins', async () => ({ url: `https://localhost:${await silent()}/v1` })],
    [
      'while a proxy is silent',
      async () => ({
        url: 'http://127.0.0.1:9/v1',
        wire: {
          ...direct,
          proxy: { kind: 'url' as const, url: `http://127.0.0.1:${await silent()}` },
        },
      }),
    ],
  ])('ends in time %s', async (_, target) => {
    const request = { wire: direct, certificates: null, path: '/models', headers: {} };
    expect(await preflightTarget({ ...request, ...(await target()) }, 100)).toEqual({
      kind: 'unusable',
      message: expect.stringContaining('did not answer within 0.1 s'),
    });
  });

  it('says nothing of other paths while it waits for the answer', async () => {
    const request = { wire: direct, certificates: null, path: '/models', headers: {} };
    const url = `http://127.0.0.1:${await silent()}/v1`;
    expect(await preflightTarget({ ...request, url }, 100)).toEqual({
      kind: 'silent',
      message: expect.stringContaining('did not answer within 0.1 s'),
    });
  });

  it('does not follow a redirect, and names it', async () => {
    const port = await listen(
      http.createServer((_, response) => {
        response.writeHead(302, { location: 'https://login.example/' }).end();
      }),
    );
    expect(await message(`http://127.0.0.1:${port}/v1`)).toMatch(
      /^doubtful: .*a redirect \(status 302\) to https:\/\/login\.example\//,
    );
  });

  it('reads only the beginning of an answer without an end', async () => {
    let sent = 0;
    const port = await listen(
      http.createServer((_request, response) => {
        const piece = Buffer.alloc(64 * 1024, 120);
        const more = (): void => {
          do sent += piece.length;
          while (response.write(piece) && sent < 64 * 1024 * 1024);
          response.once('drain', more);
        };
        more();
      }),
    );
    expect(await look(`http://127.0.0.1:${port}/v1`)).toEqual({ kind: 'reached', status: 200 });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('reports a web page where a gateway is expected', async () => {
    const port = await listen(
      http.createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end('<!doctype html><p>hello');
      }),
    );
    expect(await message(`http://127.0.0.1:${port}/v1`)).toMatch(/^doubtful: .*HTML page/);
  });

  it('does not take the page of a proxy that asks for a key for a wrong address', async () => {
    const port = await listen(
      http.createServer((_, response) => {
        response.writeHead(401, { 'content-type': 'text/html' }).end('<html>who are you');
      }),
    );
    expect(await message(`http://127.0.0.1:${port}/v1`)).toBe('reached 401');
  });
});
