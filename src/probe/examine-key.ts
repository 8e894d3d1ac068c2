import { serverWindow } from '../judge/limits/server-minute.ts';
import type {
  DeclaredLimits,
  LimitLog,
  LimitRule,
  ProbePhase,
  ProbeReply,
  ProbeRequest,
} from '../model/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { charged, countedInWindow, refused, sandwiched, secondAsked } from './phase-budget.ts';
import { type Asker, idleTime, provokeLimiter, releaseTogether } from './provoke-limiter.ts';

/** Through whom an examination asks. */
export interface Questioner {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** What the answer told, why there was none, or `null` where the target offers no such thing. */
  ask(
    phase: ProbePhase,
    request: ProbeRequest,
    key: ProbeReply['key'],
  ): Promise<ProbeReply | string | null>;
}

/** An examination that is to be made. */
export interface ExamineOrder {
  readonly declared: DeclaredLimits;
  readonly phases: readonly ProbePhase[];
  readonly hasSecondKey: boolean;
  /** No more requests than these are sent, whatever happens. */
  readonly cap: number;
  /** Why it must end now, or `null`. */
  readonly stopped: () => string | null;
  readonly begins: (phase: ProbePhase) => void;
}

/** After so many small chats in a row that are neither answered nor limited there is nothing to examine. */
const mostFailures = 3;

/** Ends an examination early; its message says why. */
class Cut extends Error {}

class Examination {
  readonly replies: ProbeReply[] = [];
  readonly unanswered: string[] = [];
  readonly #questioner: Questioner;
  readonly #order: ExamineOrder;
  #asked = 0;
  #failures = 0;

  constructor(questioner: Questioner, order: ExamineOrder) {
    this.#questioner = questioner;
    this.#order = order;
  }

  readonly phases: Readonly<Record<ProbePhase, () => Promise<void>>> = {
    counting: () => this.#count(),
    provocation: () =>
      provokeLimiter(this.#asker('provocation'), {
        ...this.#rule,
        minuteBegin: this.#minuteBegin(),
      }),
    concurrency: () => releaseTogether(this.#asker('concurrency'), this.#rule),
    exhausted: () => this.#askExhausted(),
  };

  get #rule(): LimitRule {
    return this.#order.declared.requests;
  }

  async #ask(phase: ProbePhase, request: ProbeRequest, key: ProbeReply['key'] = 'first') {
    const why = this.#order.stopped();
    if (why !== null) throw new Cut(why);
    if (this.#asked >= this.#order.cap) {
      throw new Cut(`the budget of ${this.#order.cap} requests was spent`);
    }
    this.#asked += 1;
    const reply = await this.#questioner.ask(phase, request, key);
    if (reply === null) this.#asked -= 1;
    else if (typeof reply === 'string') this.unanswered.push(`${request}: ${reply}`);
    else this.replies.push(reply);
    if (request === 'chat' && reply !== null) this.#watchFailures(reply);
    return typeof reply === 'string' ? null : reply;
  }

  /** A small chat that is neither answered nor limited tells nothing: no credit, no such model, a gateway that is down. */
  #watchFailures(reply: ProbeReply | string): void {
    const status = typeof reply === 'string' ? null : reply.status;
    const isDecided = status === 429 || (status !== null && status >= 200 && status < 300);
    this.#failures = isDecided ? 0 : this.#failures + 1;
    if (this.#failures < mostFailures) return;
    const what = typeof reply === 'string' ? reply : `status ${reply.status}`;
    throw new Cut(`${mostFailures} small chats in a row failed, the last with ${what}`);
  }

  async #sleepUntil(moment: Instant): Promise<void> {
    // In steps, so that a stop need not wait for the end of a window.
    while (this.#questioner.now() < moment) {
      const why = this.#order.stopped();
      if (why !== null) throw new Cut(why);
      const step = Math.min(moment, this.#questioner.now() + 250);
      await this.#questioner.sleepUntil(instant(step));
    }
  }

  #asker(phase: ProbePhase): Asker {
    return {
      now: () => this.#questioner.now(),
      sleepUntil: (moment) => this.#sleepUntil(moment),
      ask: async () => (await this.#ask(phase, 'chat'))?.admitted ?? true,
    };
  }

  /** A beginning of the server's minute, if its `Date` headers tell; a whole number of windows before or after all others. */
  #minuteBegin(): Instant | null {
    const minute = serverWindow(this.replies, this.#rule.window);
    return minute === null ? null : instant((minute.earliest + minute.latest) / 2);
  }

  async #count(): Promise<void> {
    const share = countedInWindow(this.#rule);
    let spent = 0;
    const one = async (request: ProbeRequest): Promise<void> => {
      if (spent >= share) {
        await this.#sleepUntil(instant(this.#questioner.now() + idleTime(this.#rule)));
        spent = 0;
        // What was asked before says nothing of what this window lost.
        await this.#ask('counting', 'chat');
        spent += 1;
      }
      if ((await this.#ask('counting', request)) !== null) spent += 1;
    };
    await one('chat');
    for (const request of [...sandwiched, ...charged]) {
      await one(request);
      await one('chat');
    }
  }

  async #askExhausted(): Promise<void> {
    for (const request of refused) await this.#ask('exhausted', request);
    if (!this.#order.hasSecondKey) return;
    for (let i = 0; i < secondAsked; i += 1) await this.#ask('exhausted', 'chat', 'second');
  }
}

/**
 * Examines the limits of one key that nobody else uses, phase by phase. Never throws for what the
 * target does; an examination that was stopped or has spent its budget keeps what it saw.
 */
export const examineKey = async (
  questioner: Questioner,
  order: ExamineOrder,
): Promise<LimitLog> => {
  const examination = new Examination(questioner, order);
  let cut: string | null = null;
  try {
    for (const phase of order.phases) {
      order.begins(phase);
      await examination.phases[phase]();
    }
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    cut = error.message;
  }
  return {
    declared: order.declared,
    replies: examination.replies.toSorted((a, b) => a.sent - b.sent),
    unanswered: examination.unanswered,
    cut,
  };
};
