import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { routes } from '../../contract/routes.ts';
import type { TransportName } from '../../model/observation/exchange.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { startClock } from '../../platform/host/clock.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ignoreExchange, openBareSocket } from '../harness/bare-client.ts';
import {
  benchApiKey,
  rawRequest,
  smallChat,
  smallChatHeaders,
  smallChatJson,
} from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';

/**
 * A closed loop of small chats by one client in its own process. Reads `ClosedClientOptions`, prints a
 * `ClosedLoopThroughput`, and goes on until it is killed.
 */

export type SdkName = 'fetch' | 'openai';
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

/** One chat by a widely used client; of a stream it notes the arrival times of tokens. */
type SdkCalls = Readonly<Record<'chat' | 'stream', () => Promise<unknown>>>;

/** What is read of an event. */
interface TokenEvent {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
}

const streamRequest = {
  ...smallChat,
  messages: [...smallChat.messages],
  stream: true as const,
  stream_options: { include_usage: true },
};

const post = (body: string): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: 'POST', headers: smallChatHeaders, body });

const fetchCalls = (): SdkCalls => ({
  chat: async () => (await post(smallChatJson)).json(),
  stream: async () => {
    const times: number[] = [];
    const { body } = await post(JSON.stringify(streamRequest));
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === '[DONE]') return;
        const { choices } = JSON.parse(data) as TokenEvent;
        if (choices[0]?.delta.content) times.push(performance.now());
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of body as AsyncIterable<Uint8Array>)
      parser.feed(decoder.decode(bytes, { stream: true }));
    return times.length;
  },
});

const openaiCalls = (): SdkCalls => {
  const { completions } = new OpenAI({ baseURL: url, apiKey: benchApiKey, maxRetries: 0 }).chat;
  return {
    chat: () => completions.create({ ...smallChat, messages: [...smallChat.messages] }),
    stream: async () => {
      const times: number[] = [];
      for await (const chunk of await completions.create(streamRequest))
        if (chunk.choices[0]?.delta.content) times.push(performance.now());
      return times.length;
    },
  };
};

/** As many users as connections, each of which awaits its answer before it asks again. */
const startSdk = (calls: SdkCalls): void => {
  const runUser = async (): Promise<void> => {
    for (;;) {
      if ((await calls[options.calls]()) === 0) throw new Error('a stream had no token');
      done += 1;
    }
  };
  for (let n = 0; n < connections; n += 1)
    setTimeout(() => void runUser(), (n * options.rampUp) / connections);
};

if (client === 'net') startNet();
else if (client === 'autocannon') startAutocannon();
else if (client === 'fetch') startSdk(fetchCalls());
else if (client === 'openai') startSdk(openaiCalls());
else startTransport(client);
console.log(JSON.stringify(await measure()));
