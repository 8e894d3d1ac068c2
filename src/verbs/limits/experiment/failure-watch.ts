import { calmPhases, isAnswered } from '../judge/limiter-decisions.ts';
import type { LimitRule, ProbeReply } from '../../../model/limits/limit-log.ts';

/** Why an examination ends early. */
export class ExaminationStopped extends Error {}

/** The examination stops after this many consecutive small chats that are neither answered nor limited, */
const maxFailures = 3;
/** but if chats were answered before, only after so many windows: what fails can be refused for its limit. */
const maxFailingWindows = 2.4;
/** Statuses that no limiter lifts again: a wrong key, no credit, no such model. */
const hopelessStatuses = [401, 402, 404];

/**
 * Ends an examination that shows nothing: no credit, an unknown model, a gateway that is down. What fails
 * after other chats were answered can be refused for its limit in another form, so it may go on for a
 * while.
 */
export class FailureWatch {
  readonly #rule: LimitRule;
  #failures = 0;
  #answeredAt: number | null = null;

  constructor(rule: LimitRule) {
    this.#rule = rule;
  }

  /** Notes a small chat, its reply or an error message. Throws `ExaminationStopped` if too many failed. */
  see(reply: ProbeReply | string, now: number): void {
    const isReply = typeof reply !== 'string';
    if (isReply && isAnswered(reply)) this.#answeredAt = now;
    const isDecided = isReply && (reply.status === 429 || isAnswered(reply));
    this.#failures = isDecided ? 0 : this.#failures + 1;
    if (this.#failures < maxFailures) return;
    const isHopeless = isReply && hopelessStatuses.includes(reply.status);
    const patience = maxFailingWindows * this.#rule.window;
    if (!isHopeless && this.#answeredAt !== null && now - this.#answeredAt < patience) return;
    throw new ExaminationStopped(
      `${this.#failures} small chats in a row failed, the last with ${isReply ? `status ${reply.status}` : reply}`,
    );
  }
}

/** Whether a chat was refused, by 429 or another status; one that also fails below the limit is no refusal. */
export const isRefusal = (reply: ProbeReply, replies: readonly ProbeReply[]): boolean =>
  reply.status === 429 ||
  (!isAnswered(reply) &&
    !replies.some(
      ({ phase, request, status, holdsError }) =>
        calmPhases.includes(phase) &&
        request === 'chat' &&
        status === reply.status &&
        holdsError === reply.holdsError,
    ));
