import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startClock } from '../host/clock.ts';
import { type Certificates, directWire, type TargetEndpoint } from '../connection/connector.ts';
import { observe } from '../connection/transport-world.fixture.ts';
import { openTransport } from './open-transport.ts';
import { openScraper } from './scrape-metrics.ts';
import { preflightTarget } from './preflight.ts';

interface Pair {
  readonly cert: string;
  readonly key: string;
}
const pair = async (): Promise<Pair> => {
  const altNames = [{ type: 2, value: 'localhost' } as const];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { cert, key };
};

let own: Pair;
let other: Pair;
beforeAll(async () => {
  [own, other] = [await pair(), await pair()];
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const listen = async (server: net.Server, place: string | number = 0): Promise<number> => {
  if (typeof place === 'string') server.listen(place);
  else server.listen(place, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return typeof place === 'string' ? 0 : (server.address() as AddressInfo).port;
};

const answer = ({ url, headers }: http.IncomingMessage, response: http.ServerResponse): void => {
  response.setHeader('content-type', `x/${headers.host} ${url}`).end('{"data":[]}');
};

const asked = { path: '/models', headers: {} };

/** How one GET ends, by a transport, over HTTP/2 with `h2`, and in the look before a run. */
const outcomeOf = async (
  name: 'socket' | 'undici' | 'h2' | 'look',
  endpoint: TargetEndpoint,
): Promise<string> => {
  if (name === 'look') {
    const look = await preflightTarget({ ...endpoint, ...asked });
    return look.kind === 'reached' ? `reached ${look.status}` : look.message;
  }
  const wire = { ...endpoint.wire, http2: name === 'h2' };
  const transport = openTransport(
    name === 'socket' ? name : 'undici',
    { ...endpoint, wire },
    startClock(),
  );
  const { observer, log } = observe();
  transport.send({ ...asked, method: 'GET', body: null }, observer);
  const { events } = await log;
  await transport.close();
  return events.slice(-2).join(', ');
};

const names = ['socket', 'undici', 'h2', 'look'] as const;

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a server that wants a certificate by %s', (by) => {
  const target = async (client: Pair | null): Promise<TargetEndpoint> => {
    const secure = { ...own, ca: own.cert, requestCert: true, minVersion: by, maxVersion: by };
    const port = await listen(https.createServer(secure, answer));
    const certificates: Certificates = { authorities: own.cert, client };
    return { url: `https://localhost:${port}`, wire: directWire, certificates };
  };

  it.each(names)('accepts that of the plan: %s', async (name) => {
    expect(await outcomeOf(name, await target(own))).toMatch(/^headers 200 .*, end$|^reached 200$/);
  });

  it.each(names)('is the named cause where the plan has none: %s', async (name) => {
    const outcome = await outcomeOf(name, await target(null));
    expect(outcome).toMatch(/failure tls$|; .*server wants a client certificate: name its PEM/);
    expect(outcome).not.toContain('speak');
  });

  it('is said to accept another certificate where it refuses that of the plan', async () => {
    const outcome = await outcomeOf('look', await target(other));
    expect(outcome).toMatch(/accept (?:the|another) client certificate/);
    expect(outcome).not.toContain('is meant');
  });
});

describe('an answer about TLS', () => {
  it.each([
    ['No required SSL certificate was sent', false, 'server wants a client certificate'],
    ['No required SSL certificate was sent', true, 'does not accept the client certificate'],
    ['The SSL certificate error', true, 'does not accept the client certificate'],
    ['Client sent an HTTP request to an HTTPS server.', false, 'write https instead of http'],
    ['The plain HTTP request was sent to HTTPS port', false, 'write https instead of http'],
    ['invalid request', false, 'reached 400'],
  ])('%s, with a certificate: %s, is followed by advice: %s', async (text, hasClient, advice) => {
    const port = await listen(
      http.createServer((_, response) => void response.writeHead(400).end(`<html>${text}`)),
    );
    const certificates = { authorities: null, client: hasClient ? own : null };
    const endpoint = { url: `http://127.0.0.1:${port}/v1`, wire: directWire, certificates };
    expect(await outcomeOf('look', endpoint)).toContain(advice);
  });
});

describe('a Unix socket', () => {
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'weir-unix-'));
    closers.push(() => rm(path, { recursive: true }));
    return path;
  };
  const endpoint = (url: string): TargetEndpoint => ({
    url,
    wire: { ...directWire, proxy: { kind: 'environment' } },
    certificates: null,
  });

  it.each([
    ['socket', ':/v1', '/v1/models'],
    ['undici', ':/v1?a=b', '/v1/models?a=b'],
    ['h2', '', '/models'],
    ['socket', ':?a=b', '/models?a=b'],
  ] as const)('carries requests: %s with the base path %s', async (name, base, path) => {
    const file = join(await folder(), 'a b%.sock');
    await listen(http.createServer(answer), file);
    const outcome = await outcomeOf(name, endpoint(`unix:${file}${base}`));
    expect(outcome).toBe(`headers 200 x/localhost ${path}, end`);
  });

  it('has metrics', async () => {
    const file = join(await folder(), 'x.sock');
    await listen(
      http.createServer(({ url }, response) => void response.end(`${url} 1\n`)),
      file,
    );
    const options = { userAgent: 'x', isWanted: () => true, timeout: 1000 };
    const scraper = openScraper(endpoint(`unix:${file}:/metrics`), options);
    closers.push(() => scraper.close());
    expect(await scraper.scrape()).toEqual({ ok: true, lines: ['/metrics 1', ''] });
  });

  it('that is not there is named', async () => {
    const url = `unix:${join(await folder(), 'none.sock')}:/v1`;
    expect(await outcomeOf('look', endpoint(url))).toContain('there is no such socket');
    expect(await outcomeOf('socket', endpoint(url))).toBe('failure connect-unreachable');
    expect(await outcomeOf('undici', endpoint(url))).toBe('failure connect-unreachable');
  });
});

describe('a header that is folded over two lines', () => {
  const target = async (field: string): Promise<TargetEndpoint> => {
    const head = `HTTP/1.1 200 OK\r\n${field}\r\ncontent-type: x/y\r\ncontent-length: 1\r\n\r\nx`;
    const port = await listen(
      net.createServer((socket) => void socket.on('data', () => socket.end(head))),
    );
    return { url: `http://127.0.0.1:${port}/v1`, wire: directWire, certificates: null };
  };

  it.each(['x-a: b\r\n c', 'x-a:\r\n\tb'])('is no obstacle to a run: %j', async (field) => {
    const endpoint = await target(field);
    expect(await outcomeOf('socket', endpoint)).toBe('headers 200 x/y, end');
    expect(await outcomeOf('look', endpoint)).toBe('reached 0');
  });

  it('is named by the transport that does not read it', async () => {
    const transport = openTransport('undici', await target('x-a: b\r\n c'), startClock());
    const failed = Promise.withResolvers<readonly [cause: string, detail: string]>();
    const onFailure = (_: number, ...failure: [string, string]): void => failed.resolve(failure);
    transport.send({ ...asked, method: 'GET', body: null }, { ...observe().observer, onFailure });
    expect(await failed.promise).toEqual(['protocol', expect.stringContaining('be folded over')]);
    await transport.close();
  });
});

describe('a redirect', () => {
  const target = async (status: number, head: http.OutgoingHttpHeaders): Promise<string> => {
    const port = await listen(
      http.createServer((_, response) => void response.writeHead(status, head).end('<html>')),
    );
    return `http://127.0.0.1:${port}/v1`;
  };

  it.each([300, 301, 302, 303, 307, 308])('%s is reported with its location', async (status) => {
    const url = await target(status, { location: 'https://login.example/sso?state=secret' });
    const endpoint = { url, wire: directWire, certificates: null };
    expect(await outcomeOf('look', endpoint)).toBe(
      `GET ${url}${asked.path} answers with a redirect (status ${status}) to https://login.example/sso instead of JSON, and Weir follows none: if chats are redirected too, that is the address to test`,
    );
  });

  it('to a path is reported as an address, and one without a location by its status', async () => {
    const endpoint = { wire: directWire, certificates: null };
    const url = await target(307, { location: '/login' });
    const message = await outcomeOf('look', { ...endpoint, url });
    expect(message).toContain(`a redirect (status 307) to ${new URL(url).origin}/login instead`);
    const bare = { ...endpoint, url: await target(302, {}) };
    expect(await outcomeOf('look', bare)).toContain('a redirect (status 302) instead');
  });
});
