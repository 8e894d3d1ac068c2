import type { BrokenCause } from '../../model/observation/exchange.ts';

type HttpFaultCause = Extract<BrokenCause, 'protocol' | 'too-large' | 'closed-early'>;

/** Why a response cannot be read on: a value, and a class only so that it can be told from whatever else a parser gives. */
export class HttpFault {
  /** `protocol` where the server broke HTTP/1.1 (RFC 9112). */
  readonly cause: HttpFaultCause;
  /** A short sentence for people; quotes nothing that the server sent. */
  readonly detail: string;

  constructor(cause: HttpFaultCause, detail: string) {
    this.cause = cause;
    this.detail = detail;
  }
}
