import type { BrokenCause } from '../../model/observation/exchange.ts';

type HttpFaultCause = Extract<BrokenCause, 'protocol' | 'too-large' | 'closed-early'>;

/** Why a response cannot be read further: a value; a class only to distinguish it from a parser's other results. */
export class HttpFault {
  /** `protocol` if the server violated HTTP/1.1 (RFC 9112). */
  readonly cause: HttpFaultCause;
  /** A short message for users, without text of the server. */
  readonly detail: string;

  constructor(cause: HttpFaultCause, detail: string) {
    this.cause = cause;
    this.detail = detail;
  }
}
