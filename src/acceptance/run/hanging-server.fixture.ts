import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server of `node:http` logs of one request. Instants are in ms on the machine's monotonic clock. */
export interface HangingRequest {
  readonly body: string;
  /** When the whole request had been read; `null` if it never was. */
  read: number | null;
  /** When the head of the answer was written. */
  headed: number | null;
  /** When each token was written. */
  readonly written: number[];
  /** When the connection closed, or the answer ended. */
  closed: number;
  isAnswered: boolean;
}

export interface HangingServer {
  readonly url: string;
  /** The requests by the ids that the client gave them. */
  readonly served: ReadonlyMap<string, HangingRequest>;
  close(): Promise<void>;
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const event = (choice: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, delta: {}, ...choice }] })}\n\n`;

/**
 * Starts a server that sends a head after `headAfter` ms, then a token every `gap` ms, and that stops when its client
 * closes the connection. In the middle of a chat's answer it rests for `rest` ms, so that who hangs up before finds an
 * answer that has not ended, also on a machine that is busy for a second.
 */
export const startHangingServer = async ({
  headAfter = 60,
  gap = 25,
  tokens = 12,
  rest = 2000,
} = {}): Promise<HangingServer> => {
  const served = new Map<string, HangingRequest>();
  const server = http.createServer((request, response) => {
    const id = String(request.headers['x-request-id']);
    const chunks: Buffer[] = [];
    const entry = {
      read: null as number | null,
      headed: null as number | null,
      written: [] as number[],
      closed: 0,
      isAnswered: false,
      get body(): string {
        return Buffer.concat(chunks).toString();
      },
    };
    const isChat = request.method === 'POST';
    if (isChat) served.set(id, entry);
    let timer: NodeJS.Timeout | undefined;
    /** Waits, unless the connection has closed. */
    const pause = (time: number): Promise<void> =>
      new Promise((resolve) => {
        if (entry.closed === 0) timer = setTimeout(resolve, time);
      });
    response.on('close', () => {
      entry.closed = now();
      entry.isAnswered = response.writableFinished;
      clearTimeout(timer);
    });
    const answer = async (): Promise<void> => {
      await pause(headAfter);
      entry.headed = now();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      for (let token = 0; token < tokens; token += 1) {
        await pause(isChat && token === Math.floor(tokens / 2) ? rest : gap);
        entry.written.push(now());
        response.write(event({ delta: { content: ` ${token}` } }));
      }
      response.end(`${event({ finish_reason: 'stop' })}data: [DONE]\n\n`);
    };
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      entry.read = now();
      void answer();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    served,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
