import type { EventQueue } from '../harness/event-queue.fixture.ts';
import { instant } from '../../model/quantity.ts';
import type { Transport } from '../../model/observation/exchange.ts';

/** The answer to a request that came just now, and when it is sent, in ms of the queue's time. */
interface QueuedAnswer {
  readonly at: number;
  readonly status: number;
  readonly body: object;
}

/** A transport in virtual time, whose answers `answerNow` decides when a request comes. */
export const queuedTransport = (queue: EventQueue, answerNow: () => QueuedAnswer): Transport => ({
  send: (_request, observer) => {
    const now = () => instant(queue.now);
    const { at, status, body } = answerNow();
    observer.onConnected(now(), 'reused');
    observer.onSent(now());
    const cancel = queue.at(at, () => {
      observer.onHeaders(now(), status, { 'content-type': 'application/json' });
      observer.onChunk(now(), Buffer.from(JSON.stringify(body)));
      observer.onEnd(now());
    });
    return {
      abort: (cause, detail) => {
        cancel();
        observer.onFailure(now(), cause, detail);
      },
    };
  },
  connectAhead: () => undefined,
  notes: () => [],
  close: async () => undefined,
});
