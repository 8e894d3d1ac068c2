import type { MockClock } from '../clock.ts';
import type { EventStream } from '../event-stream.ts';
import type { Exchange } from '../exchange.ts';

/** One request with a fault. */
export interface Faulted {
  readonly exchange: Exchange;
  readonly clock: MockClock;
  /** Tokens of a stream, or bytes of another answer, that come before the fault. */
  readonly after: number;
  /** Milliseconds that the fault waits, where it waits. */
  readonly delay: number;
}

/** How a stream's events reach the wire. */
export type StreamFault = (stream: EventStream, faulted: Faulted) => EventStream;

/**
 * One row of the catalogue. `gate` answers before credits and limits are asked; `answer` in place of
 * the endpoint; `whole` changes whatever the endpoint answers, `stream` streamed chats only.
 */
export type Fault = {
  readonly does: string;
  readonly after?: number;
  readonly delay?: number;
} & (
  | { readonly place: 'gate' | 'answer' | 'whole'; readonly run: (faulted: Faulted) => void }
  | {
      readonly place: 'stream';
      readonly head?: Readonly<Record<string, string>>;
      readonly shape: StreamFault;
    }
);
