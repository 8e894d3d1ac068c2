import { type Instant, instant } from '../../model/quantity.ts';
import { ObservedExchange } from '../connection/observed-exchange.ts';
import type { HttpFault } from './head-section.ts';
import type { ResponseSink } from './response-parser.ts';

/** The connection of an exchange. */
export interface ExchangeOwner {
  /** Called when its exchange has ended, with the ms for which the connection can be used again. */
  release(reusableFor: number): void;
  /** Gives its request back, which the server cannot have read. */
  giveBack(): void;
  /** Delivers what was read and waits. */
  catchUp(): void;
}

/** Translates the connection's events into the port's calls. */
export class SocketExchange extends ObservedExchange implements ResponseSink {
  /** The instant of the current read. */
  readAt: Instant = instant(0);
  owner: ExchangeOwner | null = null;

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.isFinished)
      this.notify((observer) => observer.onHeaders(this.readAt, status, headers));
  }

  onContent(bytes: Buffer, from: number, to: number): void {
    this.notifyChunk(this.readAt, bytes.subarray(from, to));
  }

  /** The response cannot be read further; `hasResponse` says whether a byte of it was received. */
  onFault({ cause, detail }: HttpFault, hasResponse: boolean): void {
    if (cause !== 'closed-early') return this.abort(cause, detail);
    const code = 'ERR_STREAM_PREMATURE_CLOSE';
    this.fail(Object.assign(new Error(detail), { code }), hasResponse, detail);
  }

  catchUp(): void {
    this.owner?.catchUp();
  }

  protected override release(reusableFor: number): void {
    this.owner?.release(reusableFor);
  }

  protected override resend(): void {
    this.owner?.giveBack();
  }
}
