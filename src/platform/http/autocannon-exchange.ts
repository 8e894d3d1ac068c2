import type { Clock } from '../../model/clock.ts';
import type { ExchangeObserver } from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import { ObservedExchange, throwUncaught } from '../connection/observed-exchange.ts';
import type { ResponseSink } from '../socket/response-parser.ts';

/** One exchange of autocannon's, which reads its own response; `onEnd` is called before its observer is notified of the end. */
export class AutocannonExchange extends ObservedExchange implements ResponseSink {
  answered = false;
  /** The instant of the current read. */
  readAt: Instant;
  readonly #onEnd: () => void;
  readonly #onResend: () => void;

  constructor(
    clock: Clock,
    observer: ExchangeObserver,
    { onEnd, onResend }: Readonly<Record<'onEnd' | 'onResend', () => void>>,
  ) {
    super(clock, observer, throwUncaught);
    this.readAt = clock.now();
    this.#onEnd = onEnd;
    this.#onResend = onResend;
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.answered = true;
    this.notify((observer) => observer.onHeaders(this.readAt, status, headers));
  }

  onContent(bytes: Buffer, from: number, to: number): void {
    this.notifyChunk(this.readAt, bytes.subarray(from, to));
  }

  protected override release(): void {
    this.#onEnd();
  }

  protected override resend(): void {
    this.#onResend();
  }
}
