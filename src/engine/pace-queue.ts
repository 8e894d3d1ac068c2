import type { Outcome } from '../model/observation/outcome.ts';
import { type Pace, paceAmounts, type PaceAmounts } from '../model/plan/pace.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type TokenDemand, tokenDemand } from '../traffic/request/token-demand.ts';
import type { RetryHint } from '../traffic/traffic-handler.ts';
import { drawRequestContent } from './request-content.ts';
import { Pacer } from './pacer.ts';
import { readKeyHeaders } from './pace-headers.ts';
import type { SliceOptions } from './slice-options.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import { type DueItem, DueQueue } from './due-queue.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import { owns, type Slice, sliceShareOf } from '../model/workload/arrival.ts';

/** The keys that a slice may use, and the amounts that the slice may use of each key. */
interface KeyShares {
  /** The keys of this slice, as indexes into the list of all keys. */
  readonly keys: readonly number[];
  /** The amounts that the slice may use of each of these keys. */
  readonly amounts: readonly PaceAmounts[];
}

/** Returns whether the keys can be divided so that each slice owns the same number of keys. */
const canOwn = (keys: number, { count }: Pick<Slice, 'count'>): boolean => keys % count === 0;

/**
 * Divides the keys among slices. If the number of keys is a multiple of the number of slices, each key belongs to
 * exactly one slice with its whole limit. Otherwise each slice gets a part of every key's limit (method of largest
 * remainder), and the sum of the parts is the limit.
 */
export const keySharesOf = (slice: Slice, keys: number, pace: Pace): KeyShares => {
  const all = Array.from({ length: keys }, (_, key) => key);
  const whole = paceAmounts(pace, keys);
  if (canOwn(keys, slice)) {
    const own = all.filter((key) => owns(slice, key));
    return { keys: own, amounts: own.map((key) => whole[key]!) };
  }
  const amounts = whole.map(({ requests, tokens, burst }) => {
    const ownBurst = sliceShareOf(slice, burst ?? null);
    return {
      requests: sliceShareOf(slice, requests),
      tokens: sliceShareOf(slice, tokens),
      burst: ownBurst === null ? undefined : Math.max(1, ownBurst),
    };
  });
  return { keys: all, amounts };
};

/** Returns why `count` slices cannot share the keys of a pace; `null` if the slices can share the keys. */
export const keyShareProblem = (pace: Pace | null, keys: number, count: number): string | null => {
  if (pace === null || canOwn(keys, { count })) return null;
  const parts = paceAmounts(pace, keys).flatMap(({ requests, tokens, burst }) => [
    ['requests', requests] as const,
    ['tokens', tokens] as const,
    ['burst', burst ?? null] as const,
  ]);
  const tooSmall = parts.find(([, whole]) => whole !== null && whole < count);
  if (tooSmall === undefined) return null;
  const [name, whole] = tooSmall;
  return `pace: ${count} slices cannot share a key’s ${name} of ${whole}, since each would have less than one. Give as many keys as slices (or a multiple), so that each key belongs to one slice, or use fewer slices: a pace needs no second machine at such rates`;
};

/** Until an answer reports usage, prompts are assumed to have this many tokens per character. */
const defaultTokensPerCharacter = 1 / 4;
/** A chat template is assumed to add at most this many tokens to the texts of a chat. */
const templateTokens = 10;

const nothingUsed = [0, 0] as const;

/**
 * Estimates the tokens of requests. The estimator learns the number of tokens per character of each entry's prompts
 * from the usage in answers.
 */
class TokenEstimator {
  /** The highest number of prompt tokens per character that was observed for each traffic entry. */
  readonly #tokensPerCharacter = new Map<Traffic, number>();

  /**
   * Returns the maximum number of tokens that the prompt and the answer of a request can use. This maximum is an
   * estimate from earlier answers.
   */
  estimate(demand: TokenDemand | null): number {
    return demand === null ? 0 : this.#prompt(demand) + demand.output;
  }

  /**
   * Returns how many tokens an attempt used in total, and how many of them were tokens of the prompt. If the server may
   * still be working or reports no usage, all reserved tokens count as tokens of the answer.
   */
  used(
    demand: TokenDemand | null,
    reserved: number,
    outcome: Outcome,
  ): readonly [all: number, prompt: number] {
    if (demand === null || outcome.kind === 'limited' || outcome.kind === 'refused')
      return nothingUsed;
    if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return [reserved, 0];
    const { input, output } = outcome.answer.tokens;
    if (input !== null) this.#learn(demand, input);
    const prompt = input ?? this.#prompt(demand);
    return [prompt + output, prompt];
  }

  #prompt({ traffic, characters, media }: TokenDemand): number {
    const density = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    return Math.ceil(characters * density) + media + templateTokens;
  }

  /**
   * Learns the number of tokens per character of an entry's texts. If a model counts more tokens for images than
   * estimated, the excess counts as tokens of the texts.
   */
  #learn({ traffic, characters, media }: TokenDemand, input: number): void {
    const current = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    if (characters > 0)
      this.#tokensPerCharacter.set(traffic, Math.max(current, (input - media) / characters));
  }
}

/** A request that may be sent now, with its key and the number of its reserved tokens. */
export interface PaceSlot {
  readonly lifecycle: RequestLifecycle;
  readonly released: Instant;
  readonly keyIndex: number;
  readonly reserved: number;
  onSent(at: Instant): void;
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Records the end of an attempt, and returns the wait before a retry. After a 429, the key is blocked for the wait,
   * and `null` is returned, because the request may use another key.
   */
  onFinished(at: Instant, outcome: Outcome, hint: RetryHint | null): RetryHint | null;
}

interface Queued extends DueItem {
  readonly lifecycle: RequestLifecycle;
  readonly demand: TokenDemand | null;
  readonly preferred: number;
}

/**
 * The requests that wait because of a pace, in the order of their due instants. No request overtakes another, so none
 * waits forever. The first request leaves the queue when the limits of any key allow it.
 */
export class PaceQueue {
  readonly #options: SliceOptions;
  readonly #pacer: Pacer;
  /** The keys of this slice, as indexes into the list of all keys. */
  readonly #keys: readonly number[];
  readonly #window: number;
  /** Returns the part of a key's amount that this slice may use. */
  readonly #share: (amount: number | null) => number | null;
  readonly #tokenEstimator = new TokenEstimator();
  readonly #queue = new DueQueue<Queued>();
  /**
   * The instant at which the last request left the queue. The first request in the queue has been the first since this
   * instant.
   */
  #lastRelease: number = Number.NEGATIVE_INFINITY;
  /** When the first request is expected to leave the queue; `null` if this instant is not yet computed. */
  #expectedRelease: number | null = null;
  /** When a request in flight last freed a part of a limit. */
  #capacityFreedAt: number = Number.NEGATIVE_INFINITY;

  constructor(options: SliceOptions, pace: Pace) {
    this.#options = options;
    const { keys, amounts } = keySharesOf(options.slice, options.credentials.length, pace);
    this.#keys = keys;
    this.#pacer = new Pacer(pace, keys.length, amounts);
    this.#window = pace.window;
    const isOwner = canOwn(options.credentials.length, options.slice);
    const share = (amount: number | null): number | null =>
      isOwner ? amount : sliceShareOf(options.slice, amount);
    this.#share = share;
    if (options.keysWereUsed === true) this.#countStartUp(keys.length);
  }

  /** Counts the test request that was sent with each key before the run. */
  #countStartUp(keys: number): void {
    for (let key = 0; key < keys; key += 1) {
      const booking = this.#pacer.book(0, key, 0);
      booking.onSent(0);
      booking.onFinished(0, 0);
    }
  }

  get size(): number {
    return this.#queue.size;
  }

  /** When the first waiting request was due; `null` if no request waits. */
  get oldest(): Instant | null {
    return this.#queue.first()?.due ?? null;
  }

  add(lifecycle: RequestLifecycle): void {
    const { traffic, credential, ...drawing } = drawRequestContent(
      this.#options,
      lifecycle.arrival,
    );
    const demand = tokenDemand(traffic, drawing);
    const drawn = this.#options.credentials.indexOf(credential);
    const own = this.#keys.indexOf(drawn);
    // If the drawn key belongs to another slice, a key of this slice replaces the drawn key.
    const preferred = own >= 0 ? own : drawn % this.#keys.length;
    this.#queue.add({ due: lifecycle.arrival.due, lifecycle, demand, preferred });
    if (this.#queue.first()?.lifecycle === lifecycle) this.#expectedRelease = null;
  }

  /** Removes and returns the first request if a key has room for it at `now`. */
  take(now: Instant): PaceSlot | null {
    const first = this.#queue.first();
    if (first === null) return null;
    const reserved = this.#pacer.tokensToReserve(this.#tokenEstimator.estimate(first.demand));
    const { key, at } = this.#pacer.earliestRelease(now, reserved, first.preferred);
    if (at > now) {
      this.#expectedRelease = at;
      return null;
    }
    this.#queue.take(first.due);
    // If the request can leave the queue earlier than expected, another request has freed a part of a limit. The
    // request can therefore leave only since that part was freed.
    const roomSince = Math.min(this.#expectedRelease ?? at, Math.max(at, this.#capacityFreedAt));
    const released = Math.max(first.lifecycle.due, this.#lastRelease, roomSince);
    this.#lastRelease = released;
    this.#expectedRelease = null;
    return this.#openSlot(first, { released: instant(released), keyIndex: key, reserved });
  }

  /** Removes the requests that were due more than `timeout` ms ago. If `timeout` is `null`, no request is removed. */
  takeOverdue(now: Instant, timeout: number | null): readonly RequestLifecycle[] {
    const overdue: RequestLifecycle[] = [];
    if (timeout === null) return overdue;
    const latest = instant(now - timeout);
    for (let next = this.#queue.take(latest); next !== null; next = this.#queue.take(latest)) {
      overdue.push(next.lifecycle);
      this.#expectedRelease = null;
    }
    return overdue;
  }

  clear(): readonly RequestLifecycle[] {
    return this.#queue.clear().map(({ lifecycle }) => lifecycle);
  }

  #openSlot(
    { lifecycle, demand }: Queued,
    slot: Pick<PaceSlot, 'released' | 'keyIndex' | 'reserved'>,
  ): PaceSlot {
    const { released, keyIndex: key, reserved } = slot;
    const booking = this.#pacer.book(released, key, reserved);
    let isSent = false;
    return {
      lifecycle,
      ...slot,
      keyIndex: this.#keys[key]!,
      onSent: (at) => {
        isSent = true;
        booking.onSent(at);
        this.#capacityFreedAt = at;
      },
      onHeaders: (at, status, headers) => {
        const said = readKeyHeaders(headers, this.#window, this.#share);
        if (said === null) return;
        // The limits that a refusal reports are dropped, because the wait that the refusal names is more exact than the
        // resets of these limits. `onFinished` gets the wait.
        booking.onHeaders(at, status === 429 ? { ...said, reported: [] } : said);
        this.#capacityFreedAt = at;
      },
      onFinished: (at, outcome, hint) => {
        const used = isSent ? this.#tokenEstimator.used(demand, reserved, outcome) : nothingUsed;
        booking.onFinished(at, ...used);
        this.#capacityFreedAt = at;
        if (outcome.kind === 'completed') this.#pacer.onAdmitted(key, released);
        if (outcome.kind !== 'limited') return hint;
        if (outcome.unit !== 'requests') this.#pacer.distrustCharging(key);
        this.#pacer.onRefused(key, released, at, hint?.wait ?? null);
        return null;
      },
    };
  }
}
