import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from '../http/event-stream.ts';
import type { MockExchange } from '../http/mock-exchange.ts';

/** One request with a fault. */
export interface FaultContext {
  readonly exchange: MockExchange;
  readonly clock: MockClock;
  /** Tokens of a stream, or bytes of another answer, before the fault. */
  readonly after: number;
  /** How long the fault waits, in ms. */
  readonly delay: number;
}

/** How a stream's events reach the wire. */
export type StreamFault = (stream: EventStream, context: FaultContext) => EventStream;

/**
 * A row of the catalogue. `gate` answers before credits and limits are checked, `answer` instead of the
 * endpoint; `whole` changes any answer of the endpoint, `stream` only streamed chats.
 */
export type MockFault = {
  readonly description: string;
  readonly after?: number;
  readonly delay?: number;
} & (
  | { readonly scope: 'gate' | 'answer' | 'whole'; readonly run: (context: FaultContext) => void }
  | {
      readonly scope: 'stream';
      readonly head?: Readonly<Record<string, string>>;
      readonly shape: StreamFault;
    }
);
