import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatEvent } from '../../acceptance/harness/chat-body.fixture.ts';
import type { Residences } from './wire-times.ts';

/** An upstream of streams whose first token takes a random time, and a proxy that adds a known time. Both log what they did. */

export interface LoggedServer {
  /** Its host and port. */
  readonly host: string;
  /** What the server itself saw. */
  readonly log: Residences;
  readonly stop: () => Promise<void>;
}

const exponential = (mean: number, uniform = Math.random()): number =>
  -mean * Math.log(1 - uniform);

/** A number from 0 to 1 that depends on a text only. */
const uniformOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

const idOf = ({ headers }: http.IncomingMessage): string => String(headers['x-request-id']);

const listen = async (handler: http.RequestListener, log: Residences): Promise<LoggedServer> => {
  const server = http.createServer(handler);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, log, stop };
};

const models = JSON.stringify({
  object: 'list',
  data: [{ id: 'proving/small', object: 'model', created: 1, owned_by: 'proving' }],
});

/**
 * Starts a server of streams of five tokens. The first one takes 20 ms, a time of 25 ms on average that depends on the
 * request, which is the same for both requests of a pair, and one of 8 ms on average that does not.
 */
export const startStreams = (): Promise<LoggedServer> => {
  const log = new Map<string, number>();
  return listen((request, response) => {
    const begin = performance.now();
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(models);
      return;
    }
    const stream = async (): Promise<void> => {
      const id = idOf(request);
      await sleep(20 + exponential(25, uniformOf(id)) + exponential(8));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chatEvent({ role: 'assistant', content: 'a' }));
      if (!log.has(id)) log.set(id, performance.now() - begin);
      for (const token of ['b', 'c', 'd', 'e']) {
        await sleep(10);
        response.write(chatEvent({ content: token }));
      }
      response.end(`${chatEvent({}, 'stop')}data: [DONE]\n\n`);
    };
    request.resume().on('end', () => void stream());
  }, log);
};

/** Returns by how much each request is delayed, in ms. */
export type Delays = () => number;

export const fixedDelay =
  (ms: number): Delays =>
  () =>
    ms;

export const exponentialDelay =
  (mean: number): Delays =>
  () =>
    exponential(mean);

/** A time that is the same for bursts of ten requests. */
export const burstsOfDelay = (mean: number): Delays => {
  let [asked, delay] = [0, 0];
  return () => {
    if (asked % 10 === 0) delay = exponential(mean);
    asked += 1;
    return delay;
  };
};

/** Starts a proxy before an upstream that holds each chat back before it sends it on. */
export const startDelayProxy = async (upstream: string, delays: Delays): Promise<LoggedServer> => {
  const log = new Map<string, number>();
  const agent = new http.Agent({ keepAlive: true });
  const server = await listen((request, response) => {
    const begin = performance.now();
    const id = idOf(request);
    const parts: Buffer[] = [];
    const pass = (): void => {
      const { method, url: path, headers } = request;
      const [host, port] = upstream.split(':');
      const passed = http.request({ host, port, method, path, headers, agent }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('data', (part: Buffer) => {
          response.write(part);
          if (!log.has(id)) log.set(id, performance.now() - begin);
        });
        answer.on('error', () => response.destroy());
        answer.on('end', () => response.end());
      });
      passed.on('error', () => response.destroy());
      passed.end(Buffer.concat(parts));
    };
    const delay = request.method === 'POST' ? delays() : 0;
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => (delay === 0 ? pass() : void sleep(delay).then(pass)));
  }, log);
  const stop = async (): Promise<void> => {
    await server.stop();
    agent.destroy();
  };
  return { ...server, stop };
};
