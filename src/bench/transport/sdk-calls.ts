import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { benchApiKey, smallChat, smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';

/** One chat by widely used clients: the official one, and `fetch`, with eventsource-parser for streams. */

interface SdkCalls {
  /** Asks and reads one answer. */
  chat(): Promise<unknown>;
  /** Reads one stream and notes the arrival times of its tokens, the only use it makes of them. */
  stream(): Promise<readonly number[]>;
}

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

const post = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: 'POST', headers: smallChatHeaders, body });

const fetchCalls = (url: string): SdkCalls => ({
  chat: async () => (await post(url, smallChatJson)).json(),
  stream: async () => {
    const times: number[] = [];
    const { body } = await post(url, JSON.stringify(streamRequest));
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data === '[DONE]') return;
        const { choices } = JSON.parse(data) as TokenEvent;
        if (choices[0]?.delta.content) times.push(performance.now());
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of body as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(bytes, { stream: true }));
    }
    return times;
  },
});

const openaiCalls = (url: string): SdkCalls => {
  const { completions } = new OpenAI({ baseURL: url, apiKey: benchApiKey, maxRetries: 0 }).chat;
  return {
    chat: () => completions.create({ ...smallChat, messages: [...smallChat.messages] }),
    stream: async () => {
      const times: number[] = [];
      for await (const chunk of await completions.create(streamRequest)) {
        if (chunk.choices[0]?.delta.content) times.push(performance.now());
      }
      return times;
    },
  };
};

export const sdkCalls = { fetch: fetchCalls, openai: openaiCalls } as const;
export type SdkName = keyof typeof sdkCalls;
