import cluster from 'node:cluster';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { keys, limit, numberOf, textOf, words } from './gateway-options.ts';
import { type Decision, npmLimiters } from './npm-limiters.ts';

/**
 * A small OpenAI-like gateway behind a rate limiter from npm. Every word of its command line is `name=value`:
 * `port`, `limiter`, `limit`, `window` in ms, `log` (a line `METHOD PATH STATUS REQUEST-ID` for each request),
 * `packages` (the folder with the installed packages), and optionally `service` (ms that an answer takes),
 * `workers` (processes without a common store), `noise` (share of requests that are refused at random) and
 * `headers=none` (no limit headers).
 */

const service = numberOf('service', '2');
const noise = numberOf('noise', '0');
const model = 'proving/small';
const decide = npmLimiters[textOf('limiter')]!();

const error = (type: string, code: string, message: string): object => ({
  error: { message, type, code },
});
const usage = { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 };
const answerWords = ['Yes', ', sir', '.'];

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const streamed = (): string =>
  `${chunk({ role: 'assistant', content: '' })}${answerWords.map((content) => chunk({ content })).join('')}` +
  `${chunk({}, 'stop')}data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage })}\n\ndata: [DONE]\n\n`;

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: answerWords.join('') },
      finish_reason: 'stop',
    },
  ],
  usage,
};

interface ChatBody {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly temperature?: unknown;
}

const bodyOf = async (request: IncomingMessage): Promise<ChatBody> => {
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += String(bytes);
  return JSON.parse(text) as ChatBody;
};

/** What is wrong with a chat that was admitted, and its status; `null` for nothing. */
const problemOf = (body: ChatBody): readonly [number, object] | null => {
  if (body.model !== model)
    return [404, error('invalid_request_error', 'model_not_found', 'No such model')];
  if (Number(body.temperature ?? 1) > 2)
    return [400, error('invalid_request_error', 'invalid_temperature', 'temperature is above 2')];
  return null;
};

const decideOn = (key: string): Decision | Promise<Decision> =>
  noise > 0 && Math.random() < noise ? { admitted: false } : decide(key);

const limitHeaders = ({ admitted, remaining, retryAfter }: Decision): Record<string, string> => ({
  ...(remaining === undefined || words['headers'] === 'none'
    ? {}
    : {
        'x-ratelimit-api_key-limit-requests': String(limit),
        'x-ratelimit-api_key-remaining-requests': String(Math.max(0, remaining)),
      }),
  ...(admitted || retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
});

/** Answers with a status, headers and a body; an object is sent as JSON. */
type Send = (status: number, body: object | string, headers?: Record<string, string>) => void;

const serveChat = async (request: IncomingMessage, key: string, send: Send): Promise<void> => {
  const body = await bodyOf(request);
  const decision = await decideOn(key);
  const headers = limitHeaders(decision);
  if (!decision.admitted) {
    const refusal = error('rate_limit_error', 'rate_limit_exceeded', 'Rate limit exceeded');
    send(429, refusal, headers);
    return;
  }
  await sleep(service);
  decision.release?.();
  const problem = problemOf(body);
  if (problem !== null) send(...problem, headers);
  else if (body.stream === true) send(200, streamed(), headers);
  else send(200, completion, headers);
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '' } = request;
  const id = String(request.headers['x-request-id'] ?? '-');
  const send: Send = (status, body, headers = {}) => {
    appendFileSync(textOf('log'), `${method} ${url} ${status} ${id}\n`);
    const [type, text] =
      typeof body === 'string'
        ? ['text/event-stream', body]
        : ['application/json', JSON.stringify(body)];
    response.writeHead(status, { ...headers, 'content-type': type }).end(text);
  };
  const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (!keys.includes(key))
    send(401, error('authentication_error', 'invalid_api_key', 'Invalid API key'));
  else if (url === '/v1/models')
    send(200, {
      object: 'list',
      data: [{ id: model, object: 'model', created: 1, owned_by: 'proving' }],
    });
  else if (url === '/v1/chat/completions') await serveChat(request, key, send);
  else send(404, error('not_found', 'not_found', 'No route'));
};

const workers = numberOf('workers', '1');
if (workers > 1 && cluster.isPrimary) {
  for (let i = 0; i < workers; i += 1) cluster.fork();
} else {
  createServer((request, response) => void serve(request, response)).listen(
    numberOf('port'),
    '127.0.0.1',
  );
}
