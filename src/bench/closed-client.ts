import net from 'node:net';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import type { ExchangeObserver, TransportName } from '../model/exchange.ts';
import { startClock } from '../platform/clock.ts';
import { openTransport } from '../platform/open-transport.ts';

/**
 * A hundred connections, each of which asks again when it is answered, by one client in a process of
 * its own. Reads an `Order` line and says a `Turnover` line at its end.
 */

interface Order {
  readonly port: number;
  /** `net` is the least that Node can do: one prepared request, written again after each read. */
  readonly client: TransportName | 'autocannon' | 'net';
  /** Of the measured part, after as much again of warming up (at most a second). */
  readonly seconds: number;
}

export interface Turnover {
  readonly requests: number;
  readonly seconds: number;
  /** Of this process, user and system, in seconds. */
  readonly cpu: number;
}

const connections = 100;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { port, client, seconds } = JSON.parse((await lines.next()).value as string) as Order;
const url = `http://127.0.0.1:${port}/v1`;
const body = JSON.stringify({
  model: 'weir/small',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello there' }],
});
const headers = {
  'user-agent': 'weir',
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: 'Bearer sk-weir-test',
};

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What `count` and the process's CPU time rise by while it is measured. */
const measured = async (count: () => number, wait: () => Promise<unknown>): Promise<Turnover> => {
  const before = { requests: count(), cpu: process.cpuUsage(), at: performance.now() };
  await wait();
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    requests: count() - before.requests,
    seconds: (performance.now() - before.at) / 1000,
    cpu: (user + system) / 1e6,
  };
};

const byTransport = async (name: TransportName): Promise<Turnover> => {
  const wire = { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true } as const;
  const transport = openTransport(name, { url, wire, certificates: null }, startClock());
  const bytes = new TextEncoder().encode(body);
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
        headers: { ...headers, 'x-request-id': `weir-bench-0-${serial}` },
        body: bytes,
      },
      observer,
    );
  };
  for (let n = 0; n < connections; n += 1) ask();
  await sleep(Math.min(1, seconds) * 1000);
  const turnover = await measured(
    () => done,
    () => sleep(seconds * 1000),
  );
  ending = true;
  await transport.close();
  return turnover;
};

const byNet = async (): Promise<Turnover> => {
  let done = 0;
  const fields = Object.entries({ host: 'x', ...headers, 'x-request-id': 'weir-bench-0-123456' });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
  );
  const buffer = Buffer.alloc(64 * 1024);
  for (let n = 0; n < connections; n += 1) {
    const callback = (): boolean => {
      done += 1;
      socket.write(request);
      return true;
    };
    const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
    const socket = net.connect(options, () => socket.write(request));
  }
  await sleep(Math.min(1, seconds) * 1000);
  return measured(
    () => done,
    () => sleep(seconds * 1000),
  );
};

const byAutocannon = async (): Promise<Turnover> => {
  const fire = (duration: number) =>
    autocannon({
      ...{ url: `${url}/chat/completions`, method: 'POST', headers, body, connections, duration },
      idReplacement: false,
    });
  await fire(Math.min(1, seconds));
  let requests = 0;
  return measured(
    () => requests,
    async () => {
      const result = await fire(seconds);
      if (result.errors + result.non2xx > 0) throw new Error(`${result.errors} requests failed`);
      requests = result.requests.total;
    },
  );
};

const turnover = (): Promise<Turnover> => {
  if (client === 'net') return byNet();
  return client === 'autocannon' ? byAutocannon() : byTransport(client);
};

console.log(JSON.stringify(await turnover()));
