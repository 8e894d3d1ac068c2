import { queuedTransport } from './queued-transport.fixture.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { EventQueue } from '../harness/event-queue.fixture.ts';

/** A server with so many answers a second, which refuses the requests that would wait behind too many others. */
export interface SheddingServer {
  /** Answers per second. */
  readonly rate: number;
  /** The most requests that wait. */
  readonly waiting: number;
  /** How it refuses: status and body. */
  readonly refusal: { readonly status: number; readonly body: object };
}

const chat = (finish: string, content: string, choice: object = {}): object => ({
  choices: [
    { index: 0, message: { role: 'assistant', content }, finish_reason: finish, ...choice },
  ],
  usage: { prompt_tokens: 7, completion_tokens: content === '' ? 0 : 1, total_tokens: 8 },
});

export const refusals = {
  'aborts in a 200 without a token': { status: 200, body: chat('abort', '') },
  'has an error in the choice of a 200': {
    status: 200,
    body: chat('stop', 'a', { error: { code: 502, message: 'upstream overloaded' } }),
  },
  'answers 429': { status: 429, body: { error: { message: 'too many requests' } } },
  'answers 503': { status: 503, body: { error: { message: 'overloaded' } } },
} as const satisfies Readonly<Record<string, SheddingServer['refusal']>>;

export const served = { status: 200, body: chat('stop', 'a') };

/** A refusal takes so many ms. */
const refusalLength = 2;

export const sheddingTransport = (
  { rate, waiting, refusal }: SheddingServer,
  queue: EventQueue,
): Transport => {
  const length = 1000 / rate;
  let busyUntil = 0;
  return queuedTransport(queue, () => {
    const isRefused = busyUntil - queue.now > waiting * length;
    if (isRefused) return { at: queue.now + refusalLength, ...refusal };
    busyUntil = Math.max(busyUntil, queue.now) + length;
    return { at: busyUntil, ...served };
  });
};
