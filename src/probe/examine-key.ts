import { serverWindow } from '../judge/limits/limiter/server-window.ts';
import type {
  DeclaredLimits,
  LimitLog,
  LimitRule,
  ProbePhase,
  ProbeReply,
  ProbeRequest,
} from '../model/limits/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';
import {
  chargedChats,
  countedInWindow,
  requestsWhenExhausted,
  requestsBetweenChats,
  secondKeyRequests,
} from './probe-budget.ts';
import { type ChatSender, idleTime, provokeLimiter, releaseTogether } from './provoke-limiter.ts';

export interface ProbeClient {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** The reply, an error message, or `null` if the target does not offer the request. */
  ask(
    phase: ProbePhase,
    request: ProbeRequest,
    key: ProbeReply['key'],
  ): Promise<ProbeReply | string | null>;
}

export interface ExaminationOptions {
  readonly declared: DeclaredLimits;
  readonly phases: readonly ProbePhase[];
  readonly hasSecondKey: boolean;
  readonly maxRequests: number;
  readonly stopReason: () => string | null;
  readonly onPhaseStart: (phase: ProbePhase) => void;
}

/** The examination stops after this many consecutive small chats that are neither answered nor limited. */
const maxFailures = 3;

class ExaminationStopped extends Error {}

class Examination {
  readonly replies: ProbeReply[] = [];
  readonly unanswered: string[] = [];
  readonly #client: ProbeClient;
  readonly #options: ExaminationOptions;
  #asked = 0;
  #failures = 0;

  constructor(client: ProbeClient, options: ExaminationOptions) {
    this.#client = client;
    this.#options = options;
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
    return this.#options.declared.requests;
  }

  async #ask(phase: ProbePhase, request: ProbeRequest, key: ProbeReply['key'] = 'first') {
    const why = this.#options.stopReason();
    if (why !== null) throw new ExaminationStopped(why);
    if (this.#asked >= this.#options.maxRequests) {
      throw new ExaminationStopped(
        `the budget of ${this.#options.maxRequests} requests is used up`,
      );
    }
    this.#asked += 1;
    const reply = await this.#client.ask(phase, request, key);
    if (reply === null) this.#asked -= 1;
    else if (typeof reply === 'string') this.unanswered.push(`${request}: ${reply}`);
    else this.replies.push(reply);
    if (request === 'chat' && reply !== null) this.#watchFailures(reply);
    return typeof reply === 'string' ? null : reply;
  }

  /** A small chat that is neither answered nor limited shows nothing: no credit, an unknown model, a gateway that is down. */
  #watchFailures(reply: ProbeReply | string): void {
    const status = typeof reply === 'string' ? null : reply.status;
    const isDecided = status === 429 || (status !== null && status >= 200 && status < 300);
    this.#failures = isDecided ? 0 : this.#failures + 1;
    if (this.#failures < maxFailures) return;
    const what = typeof reply === 'string' ? reply : `status ${reply.status}`;
    throw new ExaminationStopped(
      `${maxFailures} small chats in a row failed, the last with ${what}`,
    );
  }

  async #sleepUntil(moment: Instant): Promise<void> {
    // In steps, so that a stop does not wait for the end of a window.
    while (this.#client.now() < moment) {
      const why = this.#options.stopReason();
      if (why !== null) throw new ExaminationStopped(why);
      const step = Math.min(moment, this.#client.now() + 250);
      await this.#client.sleepUntil(instant(step));
    }
  }

  #asker(phase: ProbePhase): ChatSender {
    return {
      now: () => this.#client.now(),
      sleepUntil: (moment) => this.#sleepUntil(moment),
      sendChat: async () => (await this.#ask(phase, 'chat'))?.admitted ?? true,
    };
  }

  /** A start of the server's minute by its `Date` headers, or `null`. */
  #minuteBegin(): Instant | null {
    const minute = serverWindow(this.replies, this.#rule.window);
    return minute === null ? null : instant((minute.earliest + minute.latest) / 2);
  }

  async #count(): Promise<void> {
    const share = countedInWindow(this.#rule);
    let spent = 0;
    const one = async (request: ProbeRequest): Promise<void> => {
      if (spent >= share) {
        await this.#sleepUntil(instant(this.#client.now() + idleTime(this.#rule)));
        spent = 0;
        // The first remaining of the new window.
        await this.#ask('counting', 'chat');
        spent += 1;
      }
      if ((await this.#ask('counting', request)) !== null) spent += 1;
    };
    await one('chat');
    for (const request of [...requestsBetweenChats, ...chargedChats]) {
      await one(request);
      await one('chat');
    }
  }

  async #askExhausted(): Promise<void> {
    for (const request of requestsWhenExhausted) await this.#ask('exhausted', request);
    if (!this.#options.hasSecondKey) return;
    for (let i = 0; i < secondKeyRequests; i += 1) await this.#ask('exhausted', 'chat', 'second');
  }
}

/**
 * Examines the limits of one key that no one else uses, phase by phase. Never throws because of the
 * target; an examination that stops early returns its replies so far.
 */
export const examineKey = async (
  client: ProbeClient,
  options: ExaminationOptions,
): Promise<LimitLog> => {
  const examination = new Examination(client, options);
  let stoppedBecause: string | null = null;
  try {
    for (const phase of options.phases) {
      options.onPhaseStart(phase);
      await examination.phases[phase]();
    }
  } catch (error) {
    if (!(error instanceof ExaminationStopped)) throw error;
    stoppedBecause = error.message;
  }
  return {
    declared: options.declared,
    replies: examination.replies.toSorted((a, b) => a.sent - b.sent),
    unanswered: examination.unanswered,
    cut: stoppedBecause,
  };
};
