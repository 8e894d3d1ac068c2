import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { routes } from '../../contract/routes.ts';
import type { TransportName } from '../../model/observation/exchange.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { startClock } from '../../platform/host/clock.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ignoreExchange, openBareSocket } from '../harness/bare-client.ts';
import { rawRequest, smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';
import { sdkCalls, type SdkName } from './sdk-calls.ts';

/**
 * A closed loop of small chats by one client in its own process. Reads `ClosedClientOptions`, prints a
 * `ClosedLoopThroughput`, and goes on until it is killed.
 */

/** `net` is the minimal Node client: one prepared request, written again after each read. */
export type ClosedClient = TransportName | SdkName | 'autocannon' | 'net';

export interface ClosedClientOptions {
  readonly url: string;
  readonly client: ClosedClient;
  readonly connections: number;
  /** Only the SDKs stream. */
  readonly calls: 'chat' | 'stream';
  /** The users of SDKs begin evenly over this time, in ms. */
  readonly rampUp: number;
  /** In whole seconds, for every client: `weir run` needs them until its code is compiled. */
  readonly warmUp: number;
  /** Measured after the warm-up. */
  readonly seconds: number;
}

export interface ClosedLoopThroughput {
  readonly requests: number;
  readonly seconds: number;
  /** CPU time of the process, user and system, in seconds. */
  readonly cpu: number;
}

const options = await readOptions<ClosedClientOptions>();
const { url, client, connections, warmUp, seconds } = options;
let done = 0;

const measure = async (): Promise<ClosedLoopThroughput> => {
  await sleep(warmUp * 1000);
  const before = { requests: done, cpu: process.cpuUsage(), at: performance.now() };
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    requests: done - before.requests,
    seconds: (performance.now() - before.at) / 1000,
    cpu: (user + system) / 1e6,
  };
};

const startTransport = (name: TransportName): void => {
  const target = { url, wire: directWire, certificates: null };
  const transport = openTransport(name, target, startClock());
  const body = new TextEncoder().encode(smallChatJson);
  let serial = 0;
  const send = (): void => {
    serial += 1;
    const headers = { ...smallChatHeaders, 'x-request-id': `weir-bench-0-${serial}` };
    transport.send({ ...routes.chat, headers, body }, observer);
  };
  const onEnd = (): void => {
    done += 1;
    send();
  };
  const observer = { ...ignoreExchange, onEnd };
  for (let n = 0; n < connections; n += 1) send();
};

const startNet = (): void => {
  const request = Buffer.from(rawRequest(smallChatJson));
  for (let n = 0; n < connections; n += 1) {
    const socket = openBareSocket(Number(new URL(url).port), request, () => {
      done += 1;
      socket.write(request);
    });
  }
};

const startAutocannon = (): void => {
  const request = { method: 'POST', headers: smallChatHeaders, body: smallChatJson } as const;
  // A second more, so that it ends after the measured time.
  const duration = warmUp + seconds + 1;
  const target = { url: `${url}/chat/completions`, connections, duration, ...request };
  const load = autocannon(target, (error) => {
    if (error) throw error;
  });
  load.on('response', (_, status) => {
    if (status !== 200) throw new Error(`autocannon received status ${status}`);
    done += 1;
  });
  load.on('reqError', (error) => {
    throw error;
  });
};

/** As many users as connections, each of which awaits its answer before it asks again. */
const startSdk = (name: SdkName): void => {
  const call = sdkCalls[name](url)[options.calls];
  const runUser = async (): Promise<void> => {
    for (;;) {
      await call();
      done += 1;
    }
  };
  for (let n = 0; n < connections; n += 1)
    setTimeout(() => void runUser(), (n * options.rampUp) / connections);
};

if (client === 'net') startNet();
else if (client === 'autocannon') startAutocannon();
else if (client === 'fetch' || client === 'openai') startSdk(client);
else startTransport(client);
console.log(JSON.stringify(await measure()));
