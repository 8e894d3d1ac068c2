import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import OpenAI from 'openai';
import type { ExchangeObserver, TransportName } from '../../model/observation/exchange.ts';
import { startClock } from '../../platform/host/clock.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import {
  bareRequest,
  smallChat,
  smallChatHeaders,
  smallChatJson,
  closedLoopConnections,
  benchApiKey,
  warmUpSeconds,
} from '../harness/small-chat.ts';
import { measureThroughput, type ClosedLoopThroughput } from './throughput.ts';

/**
 * A hundred connections, each of which asks again when it is answered, by one client in a process of
 * its own. Reads an `ClosedClientOptions` line and says a `ClosedLoopThroughput` line at its end. Certificates are not verified.
 */

export type ClosedClient = TransportName | 'autocannon' | 'net' | 'fetch' | 'openai';

interface ClosedClientOptions {
  /** The base address. */
  readonly url: string;
  /** `net` is the least that Node can do: one prepared request, written again after each read. */
  readonly client: ClosedClient;
  /** Of the measured part, after warming up. */
  readonly seconds: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { url, client, seconds } = JSON.parse(
  (await lines.next()).value as string,
) as ClosedClientOptions;

/** Measures what is going round already. */
const measureAfterWarmUp = async (count: () => number): Promise<ClosedLoopThroughput> => {
  await sleep(warmUpSeconds * 1000);
  return measureThroughput(count, () => sleep(seconds * 1000));
};

const runTransport = async (name: TransportName): Promise<ClosedLoopThroughput> => {
  const wire = { ...directWire, verifyTls: false };
  const transport = openTransport(name, { url, wire, certificates: null }, startClock());
  const bytes = new TextEncoder().encode(smallChatJson);
  let serial = 0;
  let done = 0;
  let ending = false;
  const observer: ExchangeObserver = {
    onConnected: () => undefined,
    onSent: () => undefined,
    onHeaders: () => undefined,
    onChunk: () => undefined,
    onEnd: () => {
      done += 1;
      if (!ending) ask();
    },
    onFailure: (_, cause, detail) => {
      if (!ending) throw new Error(`${cause}: ${detail}`);
    },
  };
  const ask = (): void => {
    serial += 1;
    transport.send(
      {
        method: 'POST',
        path: '/chat/completions',
        headers: { ...smallChatHeaders, 'x-request-id': `weir-bench-0-${serial}` },
        body: bytes,
      },
      observer,
    );
  };
  for (let n = 0; n < closedLoopConnections; n += 1) ask();
  const turnover = await measureAfterWarmUp(() => done);
  ending = true;
  await transport.close();
  return turnover;
};

const runNet = async (): Promise<ClosedLoopThroughput> => {
  let done = 0;
  const request = bareRequest(smallChatJson);
  const buffer = Buffer.alloc(64 * 1024);
  const port = Number(new URL(url).port);
  for (let n = 0; n < closedLoopConnections; n += 1) {
    const callback = (): boolean => {
      done += 1;
      socket.write(request);
      return true;
    };
    const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
    const socket = net.connect(options, () => socket.write(request));
  }
  return measureAfterWarmUp(() => done);
};

const runAutocannon = async (): Promise<ClosedLoopThroughput> => {
  const request = { method: 'POST', headers: smallChatHeaders, body: smallChatJson } as const;
  // A second more, so that it ends behind what is measured.
  const duration = warmUpSeconds + seconds + 1;
  const options = {
    url: `${url}/chat/completions`,
    connections: closedLoopConnections,
    duration,
    idReplacement: false,
  };
  const ended = Promise.withResolvers<autocannon.Result>();
  const load = autocannon({ ...options, ...request }, (_, result) => ended.resolve(result));
  let done = 0;
  load.on('response', () => {
    done += 1;
  });
  const turnover = await measureAfterWarmUp(() => done);
  const { errors, non2xx } = await ended.promise;
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests of autocannon failed`);
  return turnover;
};

/** As many callers as connections, each of which awaits its answer before it asks again. */
const runCallers = (ask: () => Promise<unknown>): Promise<ClosedLoopThroughput> => {
  let done = 0;
  const call = async (): Promise<void> => {
    for (;;) {
      await ask();
      done += 1;
    }
  };
  for (let n = 0; n < closedLoopConnections; n += 1) void call();
  return measureAfterWarmUp(() => done);
};

const runFetch = (): Promise<ClosedLoopThroughput> =>
  runCallers(async () => {
    const request = { method: 'POST', headers: smallChatHeaders, body: smallChatJson };
    const response = await fetch(`${url}/chat/completions`, request);
    await response.json();
  });

const runOpenai = (): Promise<ClosedLoopThroughput> => {
  const openai = new OpenAI({ baseURL: url, apiKey: benchApiKey, maxRetries: 0 });
  const request = { ...smallChat, messages: [...smallChat.messages] };
  return runCallers(() => openai.chat.completions.create(request));
};

const measureByClient = {
  net: runNet,
  socket: () => runTransport('socket'),
  undici: () => runTransport('undici'),
  autocannon: runAutocannon,
  fetch: runFetch,
  openai: runOpenai,
} satisfies Record<ClosedClient, () => Promise<ClosedLoopThroughput>>;

console.log(JSON.stringify(await measureByClient[client]()));
