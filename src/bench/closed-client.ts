import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import OpenAI from 'openai';
import type { ExchangeObserver, TransportName } from '../model/exchange.ts';
import { startClock } from '../platform/clock.ts';
import { directWire } from '../platform/connector.ts';
import { openTransport } from '../platform/open-transport.ts';
import {
  bareRequest,
  chat,
  chatHeaders,
  chatText,
  connections,
  key,
  warmUp,
} from './small-chat.ts';
import { measureTurnover, type Turnover } from './turnover.ts';

/**
 * A hundred connections, each of which asks again when it is answered, by one client in a process of
 * its own. Reads an `Order` line and says a `Turnover` line at its end. Certificates are not verified.
 */

export type ClosedClient = TransportName | 'autocannon' | 'net' | 'fetch' | 'openai';

interface Order {
  /** The base address. */
  readonly url: string;
  /** `net` is the least that Node can do: one prepared request, written again after each read. */
  readonly client: ClosedClient;
  /** Of the measured part, after warming up. */
  readonly seconds: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { url, client, seconds } = JSON.parse((await lines.next()).value as string) as Order;

/** Measures what is going round already. */
const measured = async (count: () => number): Promise<Turnover> => {
  await sleep(warmUp * 1000);
  return measureTurnover(count, () => sleep(seconds * 1000));
};

const byTransport = async (name: TransportName): Promise<Turnover> => {
  const wire = { ...directWire, verifyTls: false };
  const transport = openTransport(name, { url, wire, certificates: null }, startClock());
  const bytes = new TextEncoder().encode(chatText);
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
        headers: { ...chatHeaders, 'x-request-id': `weir-bench-0-${serial}` },
        body: bytes,
      },
      observer,
    );
  };
  for (let n = 0; n < connections; n += 1) ask();
  const turnover = await measured(() => done);
  ending = true;
  await transport.close();
  return turnover;
};

const byNet = async (): Promise<Turnover> => {
  let done = 0;
  const request = bareRequest(chatText);
  const buffer = Buffer.alloc(64 * 1024);
  const port = Number(new URL(url).port);
  for (let n = 0; n < connections; n += 1) {
    const callback = (): boolean => {
      done += 1;
      socket.write(request);
      return true;
    };
    const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
    const socket = net.connect(options, () => socket.write(request));
  }
  return measured(() => done);
};

const byAutocannon = async (): Promise<Turnover> => {
  const request = { method: 'POST', headers: chatHeaders, body: chatText } as const;
  // A second more, so that it ends behind what is measured.
  const duration = warmUp + seconds + 1;
  const options = { url: `${url}/chat/completions`, connections, duration, idReplacement: false };
  const ended = Promise.withResolvers<autocannon.Result>();
  const load = autocannon({ ...options, ...request }, (_, result) => ended.resolve(result));
  let done = 0;
  load.on('response', () => {
    done += 1;
  });
  const turnover = await measured(() => done);
  const { errors, non2xx } = await ended.promise;
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests of autocannon failed`);
  return turnover;
};

/** As many callers as connections, each of which awaits its answer before it asks again. */
const byCallers = (ask: () => Promise<unknown>): Promise<Turnover> => {
  let done = 0;
  const call = async (): Promise<void> => {
    for (;;) {
      await ask();
      done += 1;
    }
  };
  for (let n = 0; n < connections; n += 1) void call();
  return measured(() => done);
};

const byFetch = (): Promise<Turnover> =>
  byCallers(async () => {
    const request = { method: 'POST', headers: chatHeaders, body: chatText };
    const response = await fetch(`${url}/chat/completions`, request);
    await response.json();
  });

const byOpenai = (): Promise<Turnover> => {
  const openai = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });
  const request = { ...chat, messages: [...chat.messages] };
  return byCallers(() => openai.chat.completions.create(request));
};

const turnovers = {
  net: byNet,
  socket: () => byTransport('socket'),
  undici: () => byTransport('undici'),
  autocannon: byAutocannon,
  fetch: byFetch,
  openai: byOpenai,
} satisfies Record<ClosedClient, () => Promise<Turnover>>;

console.log(JSON.stringify(await turnovers[client]()));
