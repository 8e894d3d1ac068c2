import type { EventQueue } from '../harness/event-queue.fixture.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { queuedTransport } from './queued-transport.fixture.ts';
import type { Transport } from '../../model/observation/exchange.ts';

/** A server that answers first come, first served, with random lengths. */
export interface QueueServer {
  /** Requests that it answers at a time. */
  readonly servers: number;
  /** Draws the length of an answer in ms from two uniform numbers above 0. */
  readonly length: (one: number, other: number) => number;
  readonly seed: number;
}

const body = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
};

/** Lengths by the exponential distribution with this mean in ms. */
export const exponentialLength =
  (mean: number): QueueServer['length'] =>
  (one) =>
    -mean * Math.log(one);

/** Lengths by the lognormal distribution with this mean in ms and this spread of the logarithm. */
export const lognormalLength =
  (mean: number, sigma: number): QueueServer['length'] =>
  (one, other) =>
    mean *
    Math.exp(
      sigma * Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other) - (sigma * sigma) / 2,
    );

export const queueTransport =
  ({ servers, length, seed }: QueueServer) =>
  (queue: EventQueue): Transport => {
    const draw = drawFrom(seed, 77);
    const free: number[] = Array.from({ length: servers }, () => 0);
    return queuedTransport(queue, () => {
      const next = free.indexOf(Math.min(...free));
      const took = length(1 - draw.uniform(), draw.uniform());
      free[next] = Math.max(free[next]!, queue.now) + took;
      return { at: free[next], status: 200, body };
    });
  };
