import { failedStatusText } from './send-probe-request.ts';
import { evenPace } from '../judge/facts/even-pace.ts';
import { limiterMemory } from '../../../judge/limits/facts/rule-bounds.ts';
import {
  calmPhases,
  evenlyDecided,
  firstKeyHistory,
  isAnswered,
} from '../judge/limiter-decisions.ts';
import { serverOffset, windowOfClock } from '../../../judge/limits/limiter/server-window.ts';
import type {
  DeclaredLimits,
  LimitLog,
  LimitRule,
  ProbePhase,
  ProbeReply,
  ProbeRequest,
} from '../../../model/limits/limit-log.ts';
import { type Instant, instant } from '../../../model/quantity.ts';
import {
  type ChatSender,
  evenPause,
  forgettingTime,
  idleTime,
  longestAnswer,
  type ProbeClient,
} from './chat-sender.ts';
import {
  chargedChats,
  evenRequests,
  maxEvenWindows,
  repeatedEvenRequests,
  requestsWhenExhausted,
  requestsBetweenChats,
  secondKeyRequests,
} from './request-budget.ts';
import {
  provokeLimiter,
  isBurstUnclear,
  releaseTogether,
  watchRefill,
  sustainLoad,
} from './overload.ts';

class ExaminationStopped extends Error {}

/** The examination ends after this many consecutive small chats that got neither an answer nor a 429. */
const maxFailures = 3;
/**
 * For this number of windows after the last answered chat, failures do not end the examination, since the failures may
 * be refusals.
 */
const maxFailingWindows = 2.4;
/** A chat that fails with one of these statuses would also fail later: a wrong key, no credit, no such model. */
const hopelessStatuses = [401, 402, 404];

/** Decides whether a chat was refused. A failure other than 429 that also occurs below the limit is not a refusal. */
const isRefusal = (reply: ProbeReply, replies: readonly ProbeReply[]): boolean =>
  reply.status === 429 ||
  (!isAnswered(reply) &&
    !replies.some(
      ({ phase, request, status, holdsError }) =>
        calmPhases.includes(phase) &&
        request === 'chat' &&
        status === reply.status &&
        holdsError === reply.holdsError,
    ));

export interface ExaminationOptions {
  readonly declared: DeclaredLimits;
  readonly phases: readonly ProbePhase[];
  readonly hasSecondKey: boolean;
  /** The length of the sustained load, in windows. */
  readonly sustain: number;
  readonly maxRequests: number;
  readonly listed?: LimitLog['listed'];
  readonly stopReason: () => string | null;
  readonly onPhaseStart: (phase: ProbePhase) => void;
}

/** After this many pauses, a bucket that earlier requests emptied certainly contains enough for an even pace. */
const refillPauses = 3.5;

class Examination {
  readonly replies: ProbeReply[] = [];
  readonly unanswered: string[] = [];
  readonly #client: ProbeClient;
  readonly #options: ExaminationOptions;
  #asked = 0;
  readonly #rule: LimitRule;
  /** The number of consecutive small chats that failed; `#answeredAt` is when a small chat was last answered. */
  #failures = 0;
  #answeredAt: number | null = null;
  #burstAt: Instant | null = null;
  /** Whether the limiter certainly refused a request at an even pace. More load would then show nothing new. */
  #isRefusedEvenly = false;

  constructor(client: ProbeClient, options: ExaminationOptions) {
    this.#client = client;
    this.#options = options;
    this.#rule = options.declared.requests;
  }

  /**
   * Throws if the examination cannot show anything, because the key has no credit, the model is unknown, or the gateway
   * is down.
   */
  #watchFailures(reply: ProbeReply | string): void {
    const now = this.#client.now();
    const isReply = typeof reply !== 'string';
    if (isReply && isAnswered(reply)) this.#answeredAt = now;
    const isDecided = isReply && (reply.status === 429 || isAnswered(reply));
    this.#failures = isDecided ? 0 : this.#failures + 1;
    if (this.#failures < maxFailures) return;
    const isHopeless = isReply && hopelessStatuses.includes(reply.status);
    const patience = maxFailingWindows * this.#rule.window;
    if (!isHopeless && this.#answeredAt !== null && now - this.#answeredAt < patience) return;
    const why = isReply ? failedStatusText(reply.status) : reply;
    throw new ExaminationStopped(
      `${this.#failures} small chats in a row failed, the last with ${why}`,
    );
  }

  readonly phases: Readonly<Record<ProbePhase, () => Promise<void>>> = {
    counting: () => this.#count(),
    even: () => this.#askEvenly(),
    provocation: () => this.#provoke(),
    sustained: async () => {
      if (this.#isRefusedEvenly) return;
      await sustainLoad(this.#sender('sustained'), this.#rule, this.#options.sustain);
    },
    concurrency: () => this.#releaseTogether(),
    exhausted: () => this.#askExhausted(),
  };

  #throwIfStopped(): void {
    const why = this.#options.stopReason();
    if (why !== null) throw new ExaminationStopped(why);
  }

  async #ask(phase: ProbePhase, request: ProbeRequest, key: ProbeReply['key'] = 'first') {
    this.#throwIfStopped();
    if (this.#asked >= this.#options.maxRequests) {
      const budget = this.#options.maxRequests;
      throw new ExaminationStopped(`the budget of ${budget} requests is used up`);
    }
    this.#asked += 1;
    const reply = await this.#client.ask(phase, request, key);
    if (reply === null) this.#asked -= 1;
    else if (typeof reply === 'string') this.unanswered.push(`${request}: ${reply}`);
    else this.replies.push(reply);
    if (request === 'chat' && reply !== null) this.#watchFailures(reply);
    return typeof reply === 'string' ? null : reply;
  }

  async #sleepUntil(moment: Instant): Promise<void> {
    // The wait is divided into steps, so that a stop takes effect before the wait ends.
    while (this.#client.now() < moment) {
      this.#throwIfStopped();
      const step = Math.min(moment, this.#client.now() + 250);
      await this.#client.sleepUntil(instant(step));
    }
  }

  #sender(phase: ProbePhase): ChatSender {
    return {
      now: () => this.#client.now(),
      sleepUntil: (moment) => this.#sleepUntil(moment),
      sendChat: async () => {
        const reply = await this.#ask(phase, 'chat');
        return reply === null || !isRefusal(reply, this.replies);
      },
      roundTrip: () => this.#roundTrip(),
    };
  }

  /** Returns the median time of answered small chats, in ms. */
  #roundTrip(): number {
    const times = this.replies
      .filter((reply) => reply.request === 'chat' && isAnswered(reply))
      .map(({ sent, answered }) => answered - sent)
      .toSorted((a, b) => a - b);
    return times[Math.floor(times.length / 2)] ?? 0;
  }

  /** Waits until the key has been idle for `time` ms; returns at once if nothing was sent yet. */
  async #idle(time: number): Promise<void> {
    if (this.replies.length === 0) return;
    const last = Math.max(...this.replies.map(({ ended }) => ended));
    await this.#sleepUntil(instant(last + time));
  }

  /**
   * Returns an instant at which a window on the server's clock begins, computed from the `Date` headers; `null` if the
   * `Date` headers do not show the server's clock.
   */
  #minuteBegin(): Instant | null {
    const clock = serverOffset(this.replies);
    if (clock === null) return null;
    const { earliest, latest } = windowOfClock(clock, this.#rule.window);
    return instant((earliest + latest) / 2);
  }

  /**
   * Sends a request no sooner than the even rate allows. The second request waits longer, unless the key was certainly
   * idle before the first request. After an aborted request, the wait also includes the time of the slowest answer.
   */
  async #askPaced(phase: ProbePhase, request: ProbeRequest) {
    const isFirstPause = this.replies.length === 1;
    const isIdle = !isFirstPause || firstKeyHistory(this.log(null)).isIdleBefore;
    const isAborted = this.replies.at(-1)?.status === 0;
    const pause = (isIdle ? 1 : refillPauses) * evenPause(this.#rule);
    await this.#idle(pause + (isAborted ? longestAnswer(this.replies) : 0));
    return this.#ask(phase, request);
  }

  async #count(): Promise<void> {
    await this.#ask('counting', 'chat');
    for (const request of [...requestsBetweenChats, ...chargedChats]) {
      if ((await this.#askPaced('counting', request)) === null) continue;
      await this.#askPaced('counting', 'chat');
    }
  }

  log(cut: string | null): LimitLog {
    const { declared, listed } = this.#options;
    return {
      declared,
      replies: this.replies.toSorted((a, b) => a.sent - b.sent),
      unanswered: this.unanswered,
      ...(listed === undefined ? {} : { listed }),
      cut,
    };
  }

  /**
   * Returns whether the limiter refused requests at an even pace. `some` includes refusals that an earlier use of the
   * key may explain. `certainly` excludes such refusals.
   */
  #evenRefusals(): { readonly some: boolean; readonly certainly: boolean } {
    const log = this.log(null);
    const decisions = evenlyDecided(log);
    const { refusals } = evenPace(decisions, firstKeyHistory(log), this.#rule);
    return {
      some: decisions.some(({ admitted, phase }) => !admitted && calmPhases.includes(phase)),
      certainly: refusals.length > 0,
    };
  }

  async #sendEvenly(count: number, windows: number): Promise<void> {
    const until = this.#client.now() + windows * this.#rule.window;
    for (let sentCount = 0; sentCount < count && this.#client.now() < until; sentCount += 1) {
      const reply = await this.#askPaced('even', 'chat');
      if (reply?.status === 429) return;
    }
  }

  /**
   * Sends chats evenly. A refusal may come from an earlier use of the key. So after a refusal, waits until every
   * limiter has forgotten the earlier use, and sends evenly again.
   */
  async #askEvenly(): Promise<void> {
    const rule = this.#rule;
    const begin = Math.min(this.#client.now(), ...this.replies.map(({ sent }) => sent));
    if (!this.#evenRefusals().some) {
      const passed = (this.#client.now() - begin) / rule.window;
      const left = evenRequests(rule) - this.#asked;
      await this.#sendEvenly(left, maxEvenWindows(rule) - passed);
    }
    if (!this.#evenRefusals().some) return;
    if (!this.#evenRefusals().certainly) {
      await this.#sleepUntil(instant(begin + forgettingTime(rule)));
      await this.#sendEvenly(repeatedEvenRequests(rule), 2 * maxEvenWindows(rule));
    }
    this.#isRefusedEvenly = this.#evenRefusals().certainly;
  }

  async #provoke(): Promise<void> {
    await this.#idle(idleTime(this.#rule));
    this.#burstAt = await provokeLimiter(this.#sender('provocation'), {
      ...this.#rule,
      minuteBegin: this.#minuteBegin(),
      isFollowed: this.#options.phases.includes('sustained') && !this.#isRefusedEvenly,
    });
  }

  async #releaseTogether(): Promise<void> {
    const sender = this.#sender('concurrency');
    // After this wait, every limiter has forgotten the key, so only a lockout can refuse the first request.
    await this.#idle(forgettingTime(this.#rule));
    const minuteBegin = this.#minuteBegin();
    const burst = { firstBurst: this.#burstAt, isRepeated: false, minuteBegin };
    const firstBurst = await releaseTogether(sender, this.#rule, burst);
    if (isBurstUnclear(this.log(null))) {
      // The end of a window within a burst explains one burst above the limit. It does not explain a second such burst
      // at another phase of the window, sent after every limiter has forgotten the key. So a second burst is sent.
      await this.#idle(limiterMemory(this.#rule));
      await releaseTogether(sender, this.#rule, { firstBurst, isRepeated: true, minuteBegin });
    }
    await watchRefill(sender, this.#rule);
  }

  async #askExhausted(): Promise<void> {
    for (const request of requestsWhenExhausted) await this.#ask('exhausted', request);
    if (!this.#options.hasSecondKey) return;
    for (let i = 0; i < secondKeyRequests; i += 1) await this.#ask('exhausted', 'chat', 'second');
  }
}

/**
 * Examines one idle key, phase by phase. The target never makes the function throw. After a stop, the function returns
 * the replies so far.
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
  return examination.log(stoppedBecause);
};
