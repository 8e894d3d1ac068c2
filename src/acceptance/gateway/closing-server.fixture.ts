import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { chatBody } from '../harness/chat-body.fixture.ts';

/** What a server does with a connection after each of its answers, or instead of one. */
export type ClosingHabit =
  | { readonly close: 'end' | 'destroy' | 'reset'; readonly after: number; readonly each?: number }
  | { readonly close: 'announced' | 'unanswered' | 'never-answers' | 'keeps' }
  | { readonly close: 'sometimes' };

export interface ClosingServer {
  readonly url: string;
  /** The ids of the requests that were read, in order, whether or not they were answered. */
  readonly received: readonly string[];
  readonly answered: () => number;
  readonly connections: () => number;
  /** How many connections were closed by chance. */
  readonly closings: () => number;
  close(): Promise<void>;
}

const event = (choice: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, delta: {}, ...choice }] })}\n\n`;
const streamed = [
  event({ delta: { role: 'assistant', content: 'one' } }),
  event({ delta: { content: ' two' } }),
  event({ finish_reason: 'stop' }),
  'data: [DONE]\n\n',
]
  .map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  .join('');
const whole = JSON.stringify(chatBody({ content: 'one' }));

/** An answer that promises to keep its connection, as llama.cpp's server does. */
const answerTo = (request: string, { close }: ClosingHabit): string => {
  const promise = close === 'keeps' ? 'keep-alive: timeout=5' : 'keep-alive: timeout=5, max=100';
  const keeping = close === 'announced' ? 'connection: close' : promise;
  const head = (type: string, framing: string): string =>
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${keeping}\r\n${framing}\r\n\r\n`;
  return request.includes('"stream":true')
    ? `${head('text/event-stream', 'transfer-encoding: chunked')}${streamed}0\r\n\r\n`
    : `${head('application/json', `content-length: ${whole.length}`)}${whole}`;
};

const end = (socket: Socket, close: 'end' | 'destroy' | 'reset'): void => {
  if (close === 'end') socket.end();
  else if (close === 'destroy') socket.destroySoon();
  else socket.resetAndDestroy();
};

/** Does something after a while, in ms; also after less than the millisecond of a timer. */
const later = (after: number, act: () => void): void => {
  if (after === 0) return act();
  if (after >= 1) return void setTimeout(act, after);
  const until = performance.now() + after;
  const look = (): void => void (performance.now() < until ? setImmediate(look) : act());
  look();
};

const isWhole = (text: string): boolean => {
  const head = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1] ?? '0';
  return head >= 0 && Buffer.byteLength(text.slice(head + 4)) >= Number(length);
};

/** Chance without a seed would not be the same twice. */
const everyTenth = (n: number): boolean => (n * 7) % 10 === 3;

/** An OpenAI-compatible server that treats its connections like this, whatever it promises. */
export const startClosingServer = async (habit: ClosingHabit): Promise<ClosingServer> => {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let answered = 0;
  let closings = 0;
  const handle = (socket: Socket, request: string, n: number): void => {
    received.push(/x-request-id: (\S+)/i.exec(request)?.[1] ?? '');
    if (habit.close === 'never-answers' || (habit.close === 'unanswered' && n > 1)) {
      socket.destroy();
      return;
    }
    socket.write(answerTo(request, habit));
    answered += 1;
    if (habit.close === 'announced') socket.end();
    if (habit.close === 'sometimes' && everyTenth(received.length)) {
      closings += 1;
      setTimeout(() => socket.destroy(), received.length % 4);
    }
    if ('after' in habit && n % (habit.each ?? 1) === 0)
      later(habit.after, () => end(socket, habit.close));
  };
  const server = net.createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    let n = 0;
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .on('data', (bytes) => {
        text += bytes.toString('utf8');
        if (!isWhole(text)) return;
        const request = text;
        text = '';
        if (request.startsWith('GET')) {
          const list = '{"object":"list","data":[{"id":"m","object":"model"}]}';
          socket.end(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${list.length}\r\n\r\n${list}`,
          );
          return;
        }
        n += 1;
        handle(socket, request, n);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    answered: () => answered,
    connections: () => connections,
    closings: () => closings,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
