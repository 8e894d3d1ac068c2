import { createInterface } from 'node:readline';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { smallChat, smallChatHeaders, benchApiKey } from '../harness/small-chat.ts';

/**
 * Users of streamed chats that ask again when they are answered, by what the field uses: the official
 * client, or `fetch` with eventsource-parser. All they do with a token is to note its instant. Reads
 * a `SdkStreamClientOptions` line and goes on until it is ended.
 */

export interface SdkStreamClientOptions {
  readonly client: 'openai' | 'fetch';
  readonly url: string;
  readonly users: number;
  /** Users begin evenly over so many milliseconds. */
  readonly rampUp: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { client, url, users, rampUp } = JSON.parse(
  (await lines.next()).value as string,
) as SdkStreamClientOptions;
const chatRequest = {
  ...smallChat,
  messages: [...smallChat.messages],
  stream: true as const,
  stream_options: { include_usage: true },
};

const openai = new OpenAI({ baseURL: url, apiKey: benchApiKey, maxRetries: 0 });

const streamByOpenai = async (): Promise<readonly number[]> => {
  const instants: number[] = [];
  for await (const chunk of await openai.chat.completions.create(chatRequest)) {
    if (chunk.choices[0]?.delta.content) instants.push(performance.now());
  }
  return instants;
};

const request = { method: 'POST', headers: smallChatHeaders, body: JSON.stringify(chatRequest) };

/** What is read of an event here. */
interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

const streamByFetch = async (): Promise<readonly number[]> => {
  const instants: number[] = [];
  const { body } = await fetch(`${url}/chat/completions`, request);
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return;
      const { choices } = JSON.parse(data) as Chunk;
      if (choices[0]?.delta.content) instants.push(performance.now());
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(bytes, { stream: true }));
  }
  return instants;
};

const streamOnce = client === 'openai' ? streamByOpenai : streamByFetch;

const runUser = async (): Promise<never> => {
  for (;;) {
    const instants = await streamOnce();
    if (instants.length === 0) throw new Error('a stream brought no token');
  }
};

for (let user = 0; user < users; user += 1)
  setTimeout(() => void runUser(), (user * rampUp) / users);
console.log('ready');
