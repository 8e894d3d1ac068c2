import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from '../http/event-stream.ts';
import type { MockExchange } from '../http/mock-exchange.ts';

/** One request with a fault. */
export interface FaultContext {
  readonly exchange: MockExchange;
  readonly clock: MockClock;
  /** Tokens of a stream, or bytes of another answer, that come before the fault. */
  readonly after: number;
  /** Milliseconds that the fault waits, where it waits. */
  readonly delay: number;
}

/** How a stream's events reach the wire. */
export type StreamFault = (stream: EventStream, faulted: FaultContext) => EventStream;

/**
 * One row of the catalogue. `gate` answers before credits and limits are asked; `answer` in place of
 * the endpoint; `whole` changes whatever the endpoint answers, `stream` streamed chats only.
 */
export type MockFault = {
  readonly description: string;
  readonly after?: number;
  readonly delay?: number;
} & (
  | { readonly scope: 'gate' | 'answer' | 'whole'; readonly run: (faulted: FaultContext) => void }
  | {
      readonly scope: 'stream';
      readonly head?: Readonly<Record<string, string>>;
      readonly shape: StreamFault;
    }
);
