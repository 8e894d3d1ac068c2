import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { wavFile } from '../../traffic/audio/sample-audio.fixture.ts';

/** What a provider behind a gateway does: answers whose usage differs from one to the next, and failures at given numbers. */

interface AskedChat {
  readonly model: string;
  readonly stream?: boolean;
}

/** Of ten requests to a model, those that fail, and how. */
const faults: Readonly<Record<number, 'refused' | 'limited' | 'malformed' | 'broken'>> = {
  3: 'refused',
  5: 'limited',
  7: 'malformed',
  8: 'broken',
};

/** The tokens of the prompt "Say yes." as LiteLLM counts them, those around a message included. */
const countedPrompt = 10;

/** The usage of a model's n-th answer, in the places where OpenAI's API has the parts: the prompt's true count for `left` only. */
const usageOf = (model: string, n: number) => {
  const [prompt, output] = [
    model === 'left' ? countedPrompt : 40 + ((n * 37) % 211),
    9 + ((n * 7) % 23),
  ];
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(model === 'cached'
      ? { prompt_tokens_details: { cached_tokens: Math.floor(prompt / 3) } }
      : {}),
    ...(model === 'thinking'
      ? { completion_tokens_details: { reasoning_tokens: 4 + (n % 5) } }
      : {}),
  };
};

const refuse = (response: ServerResponse, status: number): void => {
  const error = { message: `the stub answers ${status}`, type: 'stub', code: 'stub' };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
};

export interface PricedUpstream {
  /** Host and port. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Starts the stub. Chats take some 20 ms for each token of their answer. */
export const openPricedUpstream = async (): Promise<PricedUpstream> => {
  const counts = new Map<string, number>();
  const next = (name: string): number => {
    const n = counts.get(name) ?? 0;
    counts.set(name, n + 1);
    return n;
  };

  const answerChat = async (
    { model, stream = false }: AskedChat,
    response: ServerResponse,
  ): Promise<void> => {
    const n = next(`${model} ${stream}`);
    const fault = faults[n % 10];
    if (fault === 'refused') return refuse(response, 500);
    if (fault === 'limited') return refuse(response, 429);
    const usage = usageOf(model, n);
    const head = { id: `chat-${n}`, created: 1, model };
    const words = Array.from({ length: usage.completion_tokens }, () => ' word');
    if (!stream) {
      await sleep(50);
      const message = { role: 'assistant', content: words.join('') };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const body = JSON.stringify({ ...head, object: 'chat.completion', choices, usage });
      response.writeHead(200, { 'content-type': 'application/json' });
      const isWhole = fault === undefined;
      response.end(isWhole ? body : fault === 'broken' ? '<html>' : body.slice(0, 90));
      return undefined;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (part: object): boolean =>
      response.write(
        `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...part })}\n\n`,
      );
    for (const [at, content] of words.entries()) {
      if (response.destroyed) return undefined;
      if (at === 5 && fault === 'broken') return void response.destroy();
      if (at === 5 && fault === 'malformed') response.write('data: {"choices": [\n\n');
      send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
      await sleep(20);
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
    return undefined;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method = '' } = request;
    const body = await buffer(request);
    if (method !== 'POST') return refuse(response, 404);
    if (url.endsWith('/chat/completions'))
      return answerChat(JSON.parse(body.toString()) as AskedChat, response);
    const fault = faults[next(url) % 10];
    if (fault !== undefined) return refuse(response, fault === 'limited' ? 429 : 500);
    const isSpeech = url.endsWith('/audio/speech');
    response.writeHead(200, { 'content-type': isSpeech ? 'audio/wav' : 'application/json' });
    response.end(isSpeech ? wavFile(8000) : '{"text":"the gate is open"}');
    return undefined;
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
