import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { limit, numberOf, textOf, window } from '../limiters/npm/gateway-options.ts';
import { openStore } from './token-store.ts';

/**
 * A small OpenAI-like gateway that charges tokens to a store of others. Every word of its command line is `name=value`:
 * `port`, `packages` (of npm), `store` (`flexible`, or the address of a store's process), `limit` and `window` in ms, `rule` (when and what it
 * charges), `log` (a JSON line for each decision and each charge), and optionally `requests` (another limit, for
 * requests) and planted faults: `fault=NAME`.
 */

const rule = textOf('rule');
const requestLimit = numberOf('requests', '0');
const fault = textOf('fault', 'none');
const model = 'proving/small';
/** What the store is configured with, which a fault makes another limit than the declared one. */
const limitFactors: Record<string, number> = {
  'limit x 2': 2,
  'limit x 1.5': 1.5,
  'limit x 0.7': 0.7,
};
const windowFactors: Record<string, number> = { 'window x 2': 2 };
const configured = {
  limit: Math.round(limit * (limitFactors[fault] ?? 1)),
  window: window * (windowFactors[fault] ?? 1),
};
const replicas = fault === 'three replicas' ? 3 : 1;
const stores = await Promise.all(
  Array.from({ length: replicas }, (_, replica) =>
    openStore({
      ...configured,
      scope: `tokens-${replica}`,
      block: fault === 'locked for four windows' ? 4 * window : 0,
    }),
  ),
);
const requestStore =
  requestLimit === 0
    ? null
    : await openStore({ limit: requestLimit, window, scope: 'requests', block: 0 });

const write = (line: object): void =>
  appendFileSync(textOf('log'), `${JSON.stringify({ at: Date.now(), ...line })}\n`);

interface ChatBody {
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly content: unknown }[];
}

const bodyOf = async (request: IncomingMessage): Promise<ChatBody> => {
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += String(bytes);
  return JSON.parse(text) as ChatBody;
};

/** Returns what a chat uses: the prompt by its characters, and an answer of 60 to 100 % of what it may be. */
const usageOf = ({ messages, max_tokens: most = 16 }: ChatBody) => {
  const characters = messages.reduce((sum, { content }) => sum + String(content).length, 0);
  return {
    prompt: Math.ceil(characters / 4) + 3,
    completion: Math.max(1, Math.round(most * (0.6 + 0.4 * Math.random()))),
    most,
  };
};
type Usage = ReturnType<typeof usageOf>;

/** What a rule takes before the answer, and what it certainly has taken after it. */
const ruleOf = ({ prompt, completion, most }: Usage, isStream: boolean) => {
  const used = prompt + completion;
  const factor = fault === 'tokens counted twice' ? 2 : 1;
  const isFree = fault === 'streams free' && isStream;
  const final = isFree ? 0 : fault === 'only completions' ? completion : factor * used;
  // The estimate counts another number of characters for each token than the usage does.
  const estimate = Math.ceil(prompt * 1.15);
  switch (rule) {
    case 'reserved and corrected':
      return { asked: isFree ? 0 : factor * (estimate + most), final };
    case 'reserved':
      return { asked: factor * (prompt + most), final: factor * (prompt + most) };
    case 'prompt, then answer':
      return { asked: isFree ? 0 : factor * prompt, final };
    case 'at the end':
      return { asked: 0, final };
    default:
      throw new Error(`no such rule: ${rule}`);
  }
};

const refusalOf = (unit: 'tokens' | 'requests', most: number, wait: number): object => ({
  error: {
    message: `Rate limit reached for ${model} on ${fault === 'wrong name' ? 'requests' : unit} per min: Limit ${most}. Please try again in ${wait}s.`,
    type: fault === 'wrong name' ? 'requests' : unit,
    param: null,
    code: 'rate_limit_exceeded',
  },
});

const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`;

/** Answers word by word, as long as its tokens take. */
const answer = async (response: ServerResponse, body: ChatBody, usage: Usage, headers: object) => {
  const { prompt, completion } = usage;
  const reported = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  const content = 'word '.repeat(completion).trim();
  const perToken = numberOf('perToken', '4');
  await sleep(100 + prompt / 10);
  if (body.stream !== true) {
    await sleep(perToken * completion);
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    const text = JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [choice],
      usage: reported,
    });
    return () =>
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(text);
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  response.write(chunk([{ index: 0, delta: { role: 'assistant', content: '' } }]));
  for (let left = completion; left > 0; left -= 10) {
    const some = 'word '.repeat(Math.min(10, left));
    response.write(chunk([{ index: 0, delta: { content: some }, finish_reason: null }]));
    await sleep(perToken * Math.min(10, left));
  }
  response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]));
  return () => response.end(`${chunk([], { usage: reported })}data: [DONE]\n\n`);
};

let turn = 0;

const serveChat = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const id = String(request.headers['x-request-id'] ?? '-');
  const body = await bodyOf(request);
  const usage = usageOf(body);
  const { asked, final } = ruleOf(usage, body.stream === true);
  const store = stores[turn++ % replicas]!;
  const refuse = (unit: 'tokens' | 'requests', most: number, wait: number): void => {
    write({ id, admitted: false, unit, asked: Math.max(1, asked) });
    const text = JSON.stringify(refusalOf(unit, most, wait));
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': String(wait) })
      .end(text);
  };
  if (requestStore !== null) {
    const { admitted, wait } = await requestStore.take(1);
    if (!admitted) return refuse('requests', requestLimit, wait);
  }
  if (fault === 'refused at random' && Math.random() < 0.05) return refuse('tokens', limit, 1);
  const isUnlimited = fault === 'never enforced';
  const { admitted, wait, rest } = isUnlimited
    ? { admitted: true, wait: 0, rest: limit }
    : await (asked === 0 ? store.look() : store.take(asked));
  if (!admitted) return refuse('tokens', limit, wait);
  write({ id, admitted: true, asked: Math.max(1, asked) });
  if (asked > 0) write({ id, charge: asked });
  const headers =
    textOf('headers', 'tokens') === 'none'
      ? {}
      : {
          'x-ratelimit-limit-tokens': String(limit),
          'x-ratelimit-remaining-tokens': String(Math.max(0, Math.floor(rest))),
        };
  const end = await answer(response, body, usage, headers);
  const correct = async (): Promise<void> => {
    if (fault === 'charged 20 s late') await sleep(20_000);
    const charge = final === asked ? 0 : await store.add(final - asked);
    write({ id, charge, used: usage.prompt + usage.completion });
  };
  if (fault === 'charged 20 s late') void correct();
  else await correct();
  end();
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.url === '/v1/chat/completions') return serveChat(request, response);
  const data = [{ id: model, object: 'model', created: 1, owned_by: 'proving' }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ object: 'list', data }));
};

createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
}).listen(numberOf('port'), '127.0.0.1');
