import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A stream, as the server that wrote it has it in its log. */
export interface LoggedStream {
  readonly id: string;
  /** The tokens that it has generated. */
  written: number;
  /** The tokens that it had generated when its client had gone; `null` for one that had the whole answer. */
  writtenWhenLeft: number | null;
  hasEnded: boolean;
}

interface StubbornServerOptions {
  /** Whether it ends an answer when its client goes. By default it never does: it generates on. */
  readonly stops?: boolean;
  /** How many streams it admits at the same time; any number by default. */
  readonly places?: number;
}

/** The tokens of each stream, and the ms between two. */
export const stubbornTokens = 250;
const gap = 20;

const choice = (more: object) => ({ index: 0, finish_reason: null, ...more });
const usage = { prompt_tokens: 20, completion_tokens: stubbornTokens, total_tokens: 270 };

/** Starts a server of `node:http` that has its own log and metrics of streams, which last five seconds. */
export const openStubbornServer = async ({ stops = false, places }: StubbornServerOptions = {}) => {
  const streams: LoggedStream[] = [];
  const running = (): number => streams.filter(({ hasEnded }) => !hasEnded).length;
  const metrics = (): string =>
    `vllm:num_requests_running ${running()}\nvllm:generation_tokens_total ${streams.reduce((sum, { written }) => sum + written, 0)}\n`;

  const writeStream = (id: string, response: ServerResponse): void => {
    const stream: LoggedStream = { id, written: 0, writtenWhenLeft: null, hasEnded: false };
    streams.push(stream);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (part: object): boolean => response.write(`data: ${JSON.stringify(part)}\n\n`);
    const begun = performance.now();
    // A late timer is made up for, so that each stream lasts as long on a busy machine.
    const timer = setInterval(() => {
      const due = Math.min(stubbornTokens, Math.floor((performance.now() - begun) / gap));
      while (stream.written < due) {
        stream.written += 1;
        send({ choices: [choice({ delta: { content: ` ${stream.written}` } })] });
      }
      if (stream.written === stubbornTokens) end();
    }, gap);
    const end = (): void => {
      clearInterval(timer);
      stream.hasEnded = true;
      send({ choices: [choice({ delta: {}, finish_reason: 'stop' })] });
      send({ choices: [], usage });
      response.end('data: [DONE]\n\n');
    };
    response.on('close', () => {
      if (stream.hasEnded) return;
      stream.writtenWhenLeft = stream.written;
      if (stops) end();
    });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/metrics') return void response.end(metrics());
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return void response.end('{"object":"list","data":[{"id":"m"}]}');
    if (places !== undefined && running() >= places) {
      response.statusCode = 429;
      const message = 'Too many concurrent requests.';
      return void response.end(JSON.stringify({ error: { message, type: 't' } }));
    }
    if ((JSON.parse(body) as { stream?: boolean }).stream === true)
      return writeStream(String(request.headers['x-request-id']), response);
    const message = { role: 'assistant', content: 'yes' };
    const choices = [choice({ message, finish_reason: 'stop' })];
    return void response.end(
      JSON.stringify({ choices, usage: { ...usage, completion_tokens: 1 } }),
    );
  };

  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Host and port. */
    address,
    url: `http://${address}/v1`,
    /** Its log, in the order of the requests. */
    streams: streams as readonly Readonly<LoggedStream>[],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
