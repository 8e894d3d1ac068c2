import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Exchange, ExchangeObserver } from '../../model/observation/exchange.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { directWire } from '../connection/connector.ts';
import { type ScriptedServer, startScriptedServer } from '../connection/scripted-server.fixture.ts';
import { startClock } from '../host/clock.ts';
import { loadSaturatingClient } from './autocannon-client.ts';

/** Starts a server that answers as `script` does, until the test has finished. */
export const serving = async (
  script: (socket: Socket, n: number) => void,
): Promise<ScriptedServer> => {
  const server = await startScriptedServer(script);
  onTestFinished(() => server.close());
  return server;
};

export const answer = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

interface Saturation {
  readonly wire?: Partial<ConnectionSettings>;
  readonly connections?: number;
  /** Called with each piece of an answer. `n` counts the requests that were begun. */
  readonly inAnswer?: (exchange: Exchange, n: number) => void;
}

interface Saturated {
  /**
   * The outcomes of the first requests: the place in its list, the connection, the status, and the body or the cause.
   */
  readonly outcomes: readonly string[];
  readonly notes: readonly string[];
}

const request = (path: string) => ({
  method: 'POST' as const,
  path,
  headers: { 'content-type': 'text/plain' },
  body: new TextEncoder().encode('ask'),
});

/** Returns an observer that puts an exchange into words, and calls `end` with them. */
const wordsOf = (
  place: number,
  onChunk: () => void,
  end: (outcome: string) => void,
): ExchangeObserver => {
  let text = `${place}`;
  let body = '';
  let isSent = false;
  return {
    onConnected: (_at, connection) => (text += ` ${connection}`),
    onSent: () => {
      isSent = true;
    },
    onReconnect: () => (text += ' reconnect'),
    onHeaders: (_at, status) => (text += isSent ? ` ${status}` : ` unsent ${status}`),
    onChunk: (_at, bytes) => {
      body += Buffer.from(bytes).toString('latin1');
      onChunk();
    },
    onEnd: () => end(`${text} ${body}`),
    onFailure: (_at, cause) => end(`${text} ${cause}`),
  };
};

/**
 * Saturates a server with the requests /a and /b in turn, until `count` of them have ended and everything is closed.
 */
export const saturateServer = async (
  url: string,
  count: number,
  { wire = {}, connections = 1, inAnswer = () => undefined }: Saturation = {},
): Promise<Saturated> => {
  const outcomes: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const load = { url, wire: { ...directWire, ...wire }, certificates: null };
  const client = (await loadSaturatingClient(load))(startClock());
  const end = (outcome: string): void => {
    outcomes.push(outcome);
    if (outcomes.length !== count) return;
    run.stop();
    resolve();
  };
  let begun = 0;
  const run = client.start({
    requests: Array.from({ length: connections }, () => [request('/a'), request('/b')]),
    observerFor: (_connection, place, exchange) => {
      const n = begun;
      begun += 1;
      return wordsOf(place, () => inAnswer(exchange, n), end);
    },
  });
  await promise;
  await run.close();
  return { outcomes, notes: run.notes() };
};
