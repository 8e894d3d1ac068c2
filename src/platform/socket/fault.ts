import type { BrokenCause } from '../../model/exchange.ts';

type FaultCause = Extract<BrokenCause, 'protocol' | 'too-large' | 'closed-early'>;

/** Why a response cannot be read on: a value, and a class only so that it can be told from whatever else a parser gives. */
export class Fault {
  /** `protocol` where the server broke HTTP/1.1 (RFC 9112). */
  readonly cause: FaultCause;
  /** A short sentence for people; quotes nothing that the server sent. */
  readonly detail: string;

  constructor(cause: FaultCause, detail: string) {
    this.cause = cause;
    this.detail = detail;
  }
}
