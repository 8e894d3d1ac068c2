import type { Alarm, Clock } from '../model/clock.ts';
import type {
  BrokenCause,
  ConnectionOrigin,
  ExchangeObserver,
} from '../model/observation/exchange.ts';
import { type Instant, instant } from '../model/quantity.ts';
import type { HangUpMoment } from '../model/workload/hang-up.ts';
import type { InFlightAttempt } from './in-flight-attempt.ts';

/** How often, in ms, Weir checks whether the whole request has left this process. */
const lookInterval = 1;

/**
 * Passes the events of one exchange on to its attempt, and hangs up at the moment that the scenario sets. Only
 * exchanges on which the client plans to hang up have this observer. If the answer has already ended, a hang-up does
 * nothing.
 */
export class HangUp implements ExchangeObserver {
  readonly #attempt: InFlightAttempt;
  readonly #after: HangUpMoment;
  readonly #alarm: Alarm;
  #sent: Instant | null = null;

  constructor(attempt: InFlightAttempt, after: HangUpMoment, clock: Clock) {
    this.#attempt = attempt;
    this.#after = after;
    this.#alarm = clock.alarm(() => this.#onAlarm(clock.now()));
  }

  onConnected(at: Instant, connection: ConnectionOrigin): void {
    this.#attempt.onConnected(at, connection);
  }

  onSent(at: Instant): void {
    this.#sent = at;
    this.#attempt.onSent(at);
    if (this.#after.kind === 'time') this.#alarm.set(instant(at + this.#after.time));
    // Not even the first byte is written yet, so an alarm checks later whether the request was written.
    if (this.#after.kind === 'sent') this.#alarm.set(instant(at + lookInterval));
  }

  onReconnect(at: Instant): void {
    this.#sent = null;
    this.#alarm.set(null);
    this.#attempt.onReconnect(at);
  }

  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void {
    this.#attempt.onHeaders(at, status, headers);
    // If the answer is a refusal, the client does not hang up but reads the refusal to its end. The outcome is then the
    // refusal.
    if (this.#after.kind === 'headers' && status >= 200 && status < 300) this.#attempt.hangUp();
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    this.#attempt.onChunk(at, bytes);
    const { kind } = this.#after;
    if (kind === 'tokens' && this.#attempt.tokenEvents >= this.#after.count) this.#attempt.hangUp();
  }

  onEnd(at: Instant): void {
    this.#alarm.stop();
    this.#attempt.onEnd(at);
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    this.#alarm.stop();
    this.#attempt.onFailure(at, cause, detail);
  }

  #onAlarm(now: Instant): void {
    if (this.#sent === null) return;
    if (this.#after.kind === 'sent' && this.#attempt.hasUnwritten)
      return this.#alarm.set(instant(now + lookInterval));
    this.#attempt.hangUp();
  }
}
