import type { Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type RunClock, startClock } from '../host/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.fixture.ts';

/** Makes a transport to a target. */
export type TransportUnderTest = (
  url: string,
  clock: RunClock,
  onDefect?: (error: unknown) => void,
  wire?: Partial<ConnectionSettings>,
) => Transport;

export const post: WireRequest = {
  method: 'POST',
  path: '/chat/completions',
  headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
  body: new TextEncoder().encode('{"a":1}'),
};
export const get: WireRequest = { method: 'GET', path: '/models', headers: {}, body: null };

/** All calls of an observer, in order, and their instants. */
export interface ObserverLog {
  readonly events: string[];
  readonly instants: number[];
  readonly body: string;
  readonly chunkInstants: number[];
}

export const observe = (
  firstChunk: () => void = () => undefined,
  inEvent: (event: string) => void = () => undefined,
): { observer: ExchangeObserver; log: Promise<ObserverLog> } => {
  const { promise, resolve } = Promise.withResolvers<ObserverLog>();
  const events: string[] = [];
  const instants: number[] = [];
  const chunkInstants: number[] = [];
  let body = '';
  const record = (at: number, event: string): void => {
    instants.push(at);
    events.push(event);
    inEvent(event);
  };
  const finish = (): void => resolve({ events, instants, body, chunkInstants });
  return {
    log: promise,
    observer: {
      onConnected: (at, connection) => record(at, `connected ${connection}`),
      onSent: (at) => record(at, 'sent'),
      onReconnect: (at) => record(at, 'reconnect'),
      onHeaders: (at, status, headers) =>
        record(at, `headers ${status} ${headers['content-type'] ?? '-'}`),
      onChunk: (at, bytes) => {
        chunkInstants.push(at);
        body += Buffer.from(bytes).toString('utf8');
        firstChunk();
      },
      onEnd: (at) => {
        record(at, 'end');
        finish();
      },
      onFailure: (at, cause) => {
        record(at, `failure ${cause}`);
        finish();
      },
    },
  };
};

/** Returns how the exchange got its connection in the end, since a kept one may turn out to be closed. */
export const connectionOf = ({ events }: ObserverLog): string | undefined =>
  events.findLast((event) => event.startsWith('connected'));

export const ok = (body: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
export const chunkedHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** Servers and transports of a suite, which are closed after each test. */
export const transportWorld = (make: TransportUnderTest) => {
  const open: { server: ScriptedServer; transport: Transport }[] = [];

  /**
   * Starts a server and an exchange with it. The script also gets a promise that resolves when the client has read its
   * first chunk.
   */
  const startAgainst = async (
    script: (socket: Socket, n: number, chunkRead: Promise<void>) => unknown,
    wire: Partial<ConnectionSettings> = {},
  ) => {
    const { promise: chunkRead, resolve: firstChunk } = Promise.withResolvers<void>();
    const server = await startScriptedServer((socket, n) => void script(socket, n, chunkRead));
    const transport = make(server.url, startClock(), undefined, wire);
    open.push({ server, transport });
    const send = (
      request: WireRequest = post,
      inEvent: (event: string) => void = () => undefined,
    ): { log: Promise<ObserverLog>; exchange: Exchange } => {
      const { observer, log } = observe(firstChunk, inEvent);
      return { log, exchange: transport.send(request, observer) };
    };
    return { server, transport, send, chunkRead };
  };

  afterEach(async () => {
    for (const { server, transport } of open.splice(0)) {
      await transport.close();
      await server.close();
    }
  });

  return { open, startAgainst };
};
