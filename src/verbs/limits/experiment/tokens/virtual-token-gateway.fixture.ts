import type {
  Charging,
  Chat,
  Store,
  StoreShape,
} from '../../../../judge/limits/facts/true-token-limiters.fixture.ts';
import type { TokenReply } from '../../model/token-log.ts';
import type { TokenClient, TokenQuery } from './token-client.ts';
import type { VirtualWorld } from './virtual-world.fixture.ts';

/** A limiter of tokens behind a simulated gateway, compliant or faulty. Times are in ms for a window of a minute. */
export interface VirtualLimiter {
  readonly store: (shape: StoreShape) => Store;
  readonly charging: Charging;
  /** Draws the gateway’s own count of a prompt, as a multiple of its tokens. */
  readonly estimate?: (random: () => number) => number;
  /** How much later streams are decided and charged than other chats. */
  readonly streamsLater?: number;
  /** The longest time after an answer at which its usage is charged. */
  readonly flush?: number;
  /** The tokens that each chat is charged beyond its usage. */
  readonly hidden?: number;
  /** The factors of the enforced limit and window to the declared ones. */
  readonly times?: number;
  readonly stretch?: number;
  readonly replicas?: { readonly count: number; readonly by: 'turn' | 'connection' };
  /** The share of chats that are refused at random. */
  readonly refusedShare?: number;
  /** The delay of all charges. */
  readonly late?: number;
  /** The share of the limit that other clients use in a window. */
  readonly spent?: number;
  readonly unit?: TokenReply['unit'];
  /** The number of windows for which a refusal blocks the key. */
  readonly lockedFor?: number;
  /** Whether each request postpones the reset of the counter, so it is never reset under load. */
  readonly isNeverReset?: true;
  readonly isRemainingStuck?: true;
  /** Whether a cache silently holds prompts that begin like earlier ones. */
  readonly hidesCache?: true;
  readonly isNeverEnforced?: true;
}

export interface VirtualTerms {
  readonly tokens: number;
  readonly requests: number;
  readonly window: number;
  readonly hasHeaders: boolean;
  /** The least and the most tokens that the gateway reads in a second. The speed is drawn between them. */
  readonly speed: readonly [number, number];
  readonly requestStore: (shape: StoreShape) => Store;
  readonly random: () => number;
}

/** Draws once how this gateway answers. */
const drawManner = ({ random, speed, tokens }: VirtualTerms) => ({
  network: 5 + 145 * random(),
  base: 200 + 700 * random(),
  /** In tokens per ms. */
  speed: ((speed[0] + (speed[1] - speed[0]) * random()) * tokens) / 2e6 / 1000,
  /** When the headers' remaining tokens are read: before a request's own charge, after it, or with the answer. */
  remainingAt: Math.floor(3 * random()),
  reportsWhenRefused: random() < 0.5,
  namesLimits: random() < 0.8,
  chargesErrors: random() < 0.2,
  chargesCuts: random() < 0.5,
});

const errors: Readonly<Record<string, number>> = { 'bad-parameter': 400, 'unknown-model': 404 };

const openStores = (limiter: VirtualLimiter, { tokens, window, random }: VirtualTerms) => {
  const { times = 1, stretch = 1, replicas = { count: 1, by: 'turn' } } = limiter;
  const shape = { limit: times * tokens, window: stretch * window, random };
  const stores = Array.from({ length: replicas.count }, () => limiter.store(shape));
  let turn = 0;
  return (connection: number): Store => {
    turn += 1;
    return stores[(replicas.by === 'turn' ? turn : connection) % stores.length]!;
  };
};

/** Adds a limiter's faults that change what its counters say. */
const openCounter = (limiter: VirtualLimiter, terms: VirtualTerms) => {
  const storeFor = openStores(limiter, terms);
  const { window, tokens, random } = terms;
  const { times = 1, spent = 0 } = limiter;
  const cap = times * tokens;
  let lastSeen = Number.NEGATIVE_INFINITY;
  let lockedUntil = Number.NEGATIVE_INFINITY;
  let total = 0;
  return {
    cap,
    storeFor,
    decide: (store: Store, asks: number, now: number): boolean => {
      const since = Math.min(window, now - Math.max(lastSeen, 0));
      if (spent > 0) store.add((spent * tokens * since) / window, now);
      if (now - lastSeen > 5 * window) total = 0;
      lastSeen = now;
      if (now < lockedUntil) return false;
      const used = limiter.isNeverReset === true ? total : store.used(now);
      const fits = asks === 0 ? used < cap : used + asks <= cap;
      const isAdmitted =
        limiter.isNeverEnforced === true || (fits && random() >= (limiter.refusedShare ?? 0));
      if (!isAdmitted) lockedUntil = now + (limiter.lockedFor ?? 0) * window;
      return isAdmitted;
    },
    charge: (store: Store, amount: number, now: number): void => {
      total += amount;
      store.add(amount, now);
    },
    remainingOf: (store: Store, now: number): number =>
      limiter.isRemainingStuck === true ? tokens : Math.max(0, Math.floor(cap - store.used(now))),
  };
};

/** Opens a client of a simulated gateway that limits requests and tokens. */
export const openVirtualGateway = (
  world: VirtualWorld,
  limiter: VirtualLimiter,
  terms: VirtualTerms,
): TokenClient => {
  const { random, tokens, requests, window } = terms;
  const scale = window / 60_000;
  const manner = drawManner(terms);
  const counter = openCounter(limiter, terms);
  const ofRequests = terms.requestStore({ limit: requests, window, random });
  const ratio = limiter.estimate?.(random) ?? 1;
  let connection = 0;
  const answerOf = (kind: TokenQuery['kind'], most: number, drawn: number): number => {
    // If a model gets only words, it says more of them.
    const isLong = kind === 'answer' || kind === 'stream-answer';
    const wanted = isLong ? most * (0.25 + 0.75 * drawn) : 3 * drawn;
    const each = Math.max(1, Math.min(most, Math.ceil(wanted)));
    return kind === 'two-answers' ? 2 * each : each;
  };
  const chatOf = ({
    prompt,
    maxTokens,
    isStream,
    isRepeated,
    hasCommonBeginning,
    kind,
  }: TokenQuery): Chat => ({
    prompt,
    answer: answerOf(kind, maxTokens, random()),
    maxTokens: (kind === 'two-answers' ? 2 : 1) * maxTokens,
    estimate: prompt * ratio,
    isStream,
    cached: isRepeated === true || hasCommonBeginning === true ? 0.9 * prompt : 0,
  });
  const send = (query: TokenQuery): Promise<TokenReply> =>
    new Promise((resolve) => {
      const sent = world.now();
      const delay = (): number => scale * manner.network * (0.5 + random());
      const chat = chatOf(query);
      connection += 1;
      const store = counter.storeFor(connection);
      const { phase, kind, burst = 0, isTap = false, prompt, maxTokens, isStream } = query;
      const common = { phase, kind, burst, isTap, sent, prompt, maxTokens };
      const report = (remaining: number) =>
        terms.hasHeaders ? { limit: tokens, remaining } : null;
      const refuse = (unit: TokenReply['unit'], remaining: number): void => {
        const answered = world.now() + delay();
        const reported = manner.reportsWhenRefused ? report(remaining) : null;
        const named = manner.namesLimits || unit === 'requests' ? unit : null;
        const reply = {
          ...common,
          answered,
          ended: answered,
          status: 429,
          unit: named,
          usage: null,
        };
        world.at(answered, () => resolve({ ...reply, reported }));
      };
      const decide = (): void => {
        const now = world.now();
        const before = counter.remainingOf(store, now);
        if (ofRequests.used(now) > requests - 1 + 1e-9) return refuse('requests', before);
        ofRequests.add(1, now);
        const isAudio = kind === 'speech' || kind === 'transcription';
        if (!isAudio && !counter.decide(store, limiter.charging.asks(chat), now)) {
          if (limiter.charging.chargesRefusals === true) counter.charge(store, 0.5 * prompt, now);
          return refuse(limiter.unit ?? 'tokens', before);
        }
        return admit(now, before, isAudio);
      };
      const admit = (now: number, before: number, isAudio: boolean): void => {
        const error = errors[kind];
        const isFree = isAudio || (error !== undefined && !manner.chargesErrors);
        const hidden = isAudio || error !== undefined ? 0 : (limiter.hidden ?? 0);
        const cached = limiter.hidesCache === true ? chat.cached : 0;
        const billed = {
          ...chat,
          prompt: chat.prompt - cached + hidden,
          answer: error === undefined ? chat.answer : 0,
        };
        if (!isFree) counter.charge(store, limiter.charging.atStart(billed), now);
        const after = counter.remainingOf(store, now);
        const work =
          error === undefined
            ? scale * manner.base * (0.5 + random()) +
              ((chat.prompt + chat.answer) / manner.speed) * scale
            : 0;
        const ended = now + work;
        const isCut = kind === 'cut-sent' || kind === 'cut-answering';
        const settle = ended + scale * ((limiter.flush ?? 1000) * random() + (limiter.late ?? 0));
        const isCharged = !isFree && (!isCut || manner.chargesCuts);
        world.at(settle, () => {
          if (isCharged) counter.charge(store, limiter.charging.atEnd(billed), settle);
          else if (!isFree) counter.charge(store, -limiter.charging.atStart(billed), settle);
        });
        const finish = (): void => {
          const late = isStream ? after : counter.remainingOf(store, world.now());
          const remaining = [before, after, late][manner.remainingAt]!;
          const back = world.now() + delay();
          const first = isStream ? sent + 0.97 * (back - sent) : back;
          const status = kind === 'cut-sent' ? 0 : (error ?? 200);
          const hasUsage = status === 200 && !isCut && !isAudio && kind !== 'stream-unreported';
          const usage = hasUsage
            ? {
                input: chat.prompt,
                output: chat.answer,
                ...(chat.cached > 0 && limiter.hidesCache !== true ? { cached: chat.cached } : {}),
              }
            : null;
          const answered = Math.max(now, first);
          const reply = {
            ...common,
            answered,
            ended: Math.max(answered, back),
            status,
            unit: null,
            usage,
          };
          world.at(back, () =>
            resolve({ ...reply, reported: status === 200 ? report(remaining) : null }),
          );
        };
        world.at(kind === 'cut-sent' ? Math.min(ended, now + 20) : ended, finish);
      };
      world.at(sent + delay() + (isStream ? scale * (limiter.streamsLater ?? 0) : 0), decide);
    });
  return {
    now: world.now,
    sleepUntil: world.sleepUntil,
    send,
    charactersPerToken: () => 4,
  };
};
