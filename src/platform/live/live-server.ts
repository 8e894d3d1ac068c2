import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitAtMost } from '../wait-at-most.ts';

/**
 * This file serves a live page: the page itself, a stream of updates, and a way to stop the run. Only this machine can
 * connect. Only a client that knows the token in the address gets the page. Another site's page cannot use the server
 * through the user's browser.
 */

export interface LiveContent {
  readonly page: () => string;
  readonly onStop: () => void;
  /** Called with the number of readers whenever the number changes. */
  readonly onReaders: (count: number) => void;
}

export interface LiveServer {
  readonly address: string;
  /** Sends an update to each reader that has received the previous update, and to each reader that connects later. */
  readonly send: (event: string, data: string) => void;
  /**
   * Sends the last event to all readers, waits at most `patience` ms until all readers have received the event, and
   * closes the server.
   */
  readonly finish: (event: string, data: string) => Promise<void>;
}

/** The maximum number of readers. A browser opens at most six connections to one host. */
const maxReaders = 8;
const maxConnections = 32;
/** A reader that accepts no data for this many ms is disconnected. */
const readerPatience = 30_000;
/** Readers have at most this long to receive the last event, in ms. */
const patience = 3000;

const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const answer = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response
    .writeHead(status, {
      ...commonHeaders,
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
      ...headers,
    })
    .end(text);
};

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const eventText = (event: string, data: string): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The readers of the updates. At most one update is buffered for each reader. */
class Readers {
  readonly #onReaders: LiveContent['onReaders'];
  /** Each reader, with the time (`performance.now()`) of the last update that was sent to it. */
  readonly #open = new Map<ServerResponse, number>();
  #last = '';

  constructor(onReaders: LiveContent['onReaders']) {
    this.#onReaders = onReaders;
  }

  add(response: ServerResponse): void {
    if (this.#open.size >= maxReaders) {
      answer(response, 503, `This page has ${maxReaders} readers already; close one of them.\n`);
      return;
    }
    response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream' });
    response.write(`retry: 1000\n\n${this.#last}`);
    this.#open.set(response, performance.now());
    this.#onReaders(this.#open.size);
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#open.delete(response);
      this.#onReaders(this.#open.size);
    });
  }

  send(event: string): void {
    this.#last = event;
    const now = performance.now();
    for (const [response, since] of this.#open) {
      if (response.writableLength === 0) {
        this.#open.set(response, now);
        response.write(event);
      } else if (now - since > readerPatience) response.destroy();
    }
  }

  /** Resolves when all readers have received the event. */
  async finish(event: string): Promise<void> {
    const open = [...this.#open.keys()].filter((response) => !response.writableEnded);
    const ends = open.map(
      (response) => new Promise((resolve) => response.once('close', resolve).end(event)),
    );
    await Promise.all(ends);
  }
}

/** Returns the status and the text with which a request is refused; `null` if the request may be answered. */
const refusalOf = (
  { method = '', headers }: IncomingMessage,
  port: number,
): readonly [status: number, text: string] | null => {
  const { host = '', origin } = headers;
  // An attacker's DNS server can point a name at this machine. The `host` header shows that a request used such a name.
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return [403, 'Wrong Host: this page is served to 127.0.0.1 only.\n'];
  const isFromElsewhere = origin !== undefined && origin !== `http://${host}`;
  if (isFromElsewhere) return [403, 'Wrong Origin: another page may not use this one.\n'];
  if (method === 'POST' && origin === undefined)
    return [403, 'No Origin: only the page itself may do this.\n'];
  return null;
};

/**
 * Serves a live page on a port of 127.0.0.1 (0 means any free port). Throws Node's error if the port is unusable. After
 * `finish`, the server no longer keeps the process alive.
 */
export const openLiveServer = async (port: number, content: LiveContent): Promise<LiveServer> => {
  const token = randomBytes(24).toString('base64url');
  const readers = new Readers(content.onReaders);
  const page = (response: ServerResponse): void =>
    answer(response, 200, content.page(), { 'content-type': 'text/html; charset=utf-8' });
  const stop = (response: ServerResponse): void => {
    content.onStop();
    answer(response, 202, 'The run is being stopped.\n');
  };
  const routes = new Map([
    ['', ['GET', page]],
    ['events', ['GET', (response: ServerResponse) => readers.add(response)]],
    ['stop', ['POST', stop]],
  ] as const);
  const server = createServer(
    { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 1000, maxHeaderSize: 8192 },
    (request, response) => {
      // The body of the request is discarded.
      request.resume();
      const refusal = refusalOf(request, bound);
      if (refusal !== null) return answer(response, ...refusal);
      const [, given = '', ...path] = (request.url ?? '').split('/');
      const route = path.length === 1 ? routes.get(path[0] as '') : undefined;
      if (!isEqual(given, token) || route === undefined)
        return answer(response, 404, 'There is nothing here. The address has a token.\n');
      const [method, respond] = route;
      if (request.method !== method)
        return answer(response, 405, `Expected ${method}.\n`, { allow: method });
      return respond(response);
    },
  );
  server.maxConnections = maxConnections;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${bound}/${token}/`,
    send: (event, data) => readers.send(eventText(event, data)),
    finish: async (event, data) => {
      server.close();
      await waitAtMost(patience, readers.finish(eventText(event, data)));
      server.closeAllConnections();
    },
  };
};
