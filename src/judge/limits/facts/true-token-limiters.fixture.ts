import type { TokenRequest } from './token-uses.ts';

/**
 * Limiters of tokens, and the requests that a client sees of them in virtual time. They follow their definitions and
 * share nothing with the judge. Instants are in ms.
 */

/** Returns random numbers from 0 to 1. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The state of a limiter: what is used, and how to add a charge or a correction (below 0). */
export interface Store {
  readonly used: (now: number) => number;
  readonly add: (tokens: number, now: number) => void;
}

export interface StoreShape {
  readonly limit: number;
  readonly window: number;
  readonly random: () => number;
}

const windowed = (indexOf: (now: number) => number): Store => {
  let current = Number.NaN;
  let used = 0;
  const enter = (now: number): void => {
    const index = indexOf(now);
    if (index !== current) [current, used] = [index, 0];
  };
  return {
    used: (now) => {
      enter(now);
      return used;
    },
    add: (tokens, now) => {
      enter(now);
      used = Math.max(0, used + tokens);
    },
  };
};

const fixedGrid = ({ window, random }: StoreShape): Store => {
  const phase = random() * window;
  return windowed((now) => Math.floor((now - phase) / window));
};

/** A window that begins with the first request after the last window. Half of the windows begin at whole seconds. */
const fixedFromFirst = ({ window, random }: StoreShape): Store => {
  const unit = random() < 0.5 && window >= 60_000 ? 1000 : 1;
  let begin = Number.NEGATIVE_INFINITY;
  return windowed((now) => {
    const moment = Math.floor(now / unit) * unit;
    if (moment - begin >= window) begin = moment;
    return begin;
  });
};

const slidingLog = ({ window }: StoreShape): Store => {
  let kept: (readonly [at: number, tokens: number])[] = [];
  return {
    used: (now) => {
      kept = kept.filter(([at]) => at > now - window);
      return kept.reduce((sum, [, tokens]) => sum + tokens, 0);
    },
    add: (tokens, now) => {
      kept.push([now, tokens]);
    },
  };
};

const slidingCounter = ({ window, random }: StoreShape): Store => {
  const phase = random() * window;
  const counts = new Map<number, number>();
  const placeOf = (now: number): number => (now - phase) / window;
  return {
    used: (now) => {
      const index = Math.floor(placeOf(now));
      const share = placeOf(now) - index;
      return (counts.get(index) ?? 0) + (counts.get(index - 1) ?? 0) * (1 - share);
    },
    add: (tokens, now) => {
      const index = Math.floor(placeOf(now));
      counts.set(index, Math.max(0, (counts.get(index) ?? 0) + tokens));
    },
  };
};

const bucketOf =
  (share: number, step: number) =>
  ({ limit, window, random }: StoreShape): Store => {
    const size = share * limit;
    const phase = random() * step;
    let level = size;
    let last: number | null = null;
    const fill = (now: number): void => {
      const moment = step === 0 ? now : Math.floor((now - phase) / step) * step;
      if (last !== null) level = Math.min(size, level + ((moment - last) * limit) / window);
      last = moment;
    };
    return {
      used: (now) => {
        fill(now);
        return limit - level;
      },
      add: (tokens, now) => {
        fill(now);
        level = Math.min(size, level - tokens);
      },
    };
  };

/** The generic cell rate algorithm. Tokens move the theoretical arrival time by their share of the window. */
const gcra = ({ limit, window }: StoreShape): Store => {
  const cost = window / limit;
  let theoretical = Number.NEGATIVE_INFINITY;
  return {
    used: (now) => Math.max(0, theoretical - now) / cost,
    add: (tokens, now) => {
      theoretical = Math.max(theoretical, now) + tokens * cost;
    },
  };
};

export const tokenStores = {
  'fixed window on a grid': fixedGrid,
  'fixed window from the first request': fixedFromFirst,
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
  'token bucket': bucketOf(1, 0),
  'bucket of a quarter': bucketOf(1 / 4, 0),
  'bucket that refills in steps': bucketOf(1, 5000),
  GCRA: gcra,
} as const satisfies Record<string, (shape: StoreShape) => Store>;

/** A chat as the gateway sees it. `estimate` is its own count of the prompt. */
export interface Chat {
  readonly prompt: number;
  readonly answer: number;
  readonly maxTokens: number;
  readonly estimate: number;
  readonly isStream: boolean;
  readonly cached: number;
}

/** The charges of a chat: at its admission, and when its usage is known. */
export interface Charging {
  readonly asks: (chat: Chat) => number;
  readonly atStart: (chat: Chat) => number;
  readonly atEnd: (chat: Chat) => number;
  /** Whether a refused chat is charged for its prompt. */
  readonly chargesRefusals?: true;
}

const reservationOf = ({ estimate, maxTokens }: Chat): number => estimate + maxTokens;
const usageOf = ({ prompt, answer }: Chat): number => prompt + answer;

export const chargings = {
  'reserved at the start, then corrected': {
    asks: reservationOf,
    atStart: reservationOf,
    atEnd: (chat) => usageOf(chat) - reservationOf(chat),
  },
  'reserved at the start, never corrected': {
    asks: ({ prompt, maxTokens }) => prompt + maxTokens,
    atStart: ({ prompt, maxTokens }) => prompt + maxTokens,
    atEnd: () => 0,
  },
  'charged at the end': { asks: () => 0, atStart: () => 0, atEnd: usageOf },
  'prompt at the start, answer at the end': {
    asks: () => 0,
    atStart: ({ prompt }) => prompt,
    atEnd: ({ answer }) => answer,
  },
  'what a cache held is free': {
    asks: () => 0,
    atStart: () => 0,
    atEnd: (chat) => usageOf(chat) - chat.cached,
  },
  'refusals are charged too': {
    asks: reservationOf,
    atStart: reservationOf,
    atEnd: (chat) => usageOf(chat) - reservationOf(chat),
    chargesRefusals: true,
  },
} as const satisfies Record<string, Charging>;

/** A gateway that keeps its limit or breaks it. */
export interface TokenGateway {
  readonly store: (shape: StoreShape) => Store;
  readonly charging: Charging;
  /** The factor of the enforced limit to the declared one. */
  readonly times?: number;
  /** The factor of the enforced window to the declared one. */
  readonly stretch?: number;
  /** The number of replicas that take turns, each with the whole limit. */
  readonly replicas?: number;
  /** The share of chats that are refused at random. */
  readonly refusedShare?: number;
  /** The delay of charges, in ms, beyond the time that any gateway may take. */
  readonly late?: number;
}

/** How a client sends: the chats that are due, in ms, and their sizes as shares of the limit. */
export interface TokenLoad {
  readonly due: readonly number[];
  readonly sizes: readonly number[];
  /** The most tokens of an answer, as a share of its prompt. */
  readonly answers: number;
  readonly isNamed: boolean;
}

interface SeenRun {
  readonly limit: number;
  readonly window: number;
  readonly random: () => number;
}

const charactersPerToken = 4;

/** A request as a client sees it, with the remaining tokens in its answer. */
type SeenRequest = TokenRequest & { readonly remainingTokens: number | null };

/** Returns the requests of a load as a client sees them, in the order of sending. */
export const seenTokens = (
  gateway: TokenGateway,
  { due, sizes, answers, isNamed }: TokenLoad,
  { limit, window, random }: SeenRun,
): readonly SeenRequest[] => {
  const { store, charging, times = 1, stretch = 1, replicas = 1, late = 0 } = gateway;
  const cap = times * limit;
  const shape = { limit: cap, window: stretch * window, random };
  const stores = Array.from({ length: replicas }, () => store(shape));
  const [network, base] = [5 + 145 * random(), 200 + 700 * random()];
  const speed = (limit / 2e6) * (15 + 235 * random());
  const ratio = 0.5 + random();
  const scale = window / 60_000;
  const arrivals = due.map((sent, i) => {
    const prompt = Math.max(1, Math.round(sizes[i]! * limit));
    const maxTokens = Math.max(1, Math.round(answers * prompt));
    const answer = Math.max(1, Math.floor(random() * maxTokens));
    const estimate = prompt * ratio;
    const isStream = i % 2 === 1;
    const chat: Chat = { prompt, answer, maxTokens, estimate, isStream, cached: 0.9 * prompt };
    return { sent, decided: sent + scale * network * (0.5 + random()), chat, i };
  });
  const pending: { at: number; tokens: number; to: Store }[] = [];
  const settle = (until: number): void => {
    pending.sort((a, b) => a.at - b.at);
    while (pending.length > 0 && pending[0]!.at <= until) {
      const { at, tokens, to } = pending.shift()!;
      to.add(tokens, at);
    }
  };
  const seen = arrivals
    .toSorted((a, b) => a.decided - b.decided)
    .map(({ sent, decided, chat, i }): SeenRequest => {
      settle(decided);
      const to = stores[i % replicas]!;
      const back = scale * network * (0.5 + random());
      const isUsedUp =
        charging.asks(chat) === 0
          ? to.used(decided) >= cap
          : to.used(decided) + charging.asks(chat) > cap;
      const common = {
        sent,
        isChat: true,
        characters: chat.prompt * charactersPerToken,
        maxTokens: chat.maxTokens,
        cached: charging === chargings['what a cache held is free'] ? chat.cached : null,
      };
      if (isUsedUp || random() < (gateway.refusedShare ?? 0)) {
        if (charging.chargesRefusals === true) to.add(0.5 * chat.prompt, decided);
        const answered = decided + back;
        const unit = isNamed ? ('tokens' as const) : null;
        const none = { tokens: null, input: null, cached: null, remainingTokens: null };
        return { ...common, answered, ended: answered, status: 429, unit, ...none };
      }
      to.add(charging.atStart(chat), decided);
      const remainingTokens = Math.max(0, cap - to.used(decided));
      const work = scale * (base * (0.5 + random()) + (chat.prompt + chat.answer) / speed);
      const at = decided + work + scale * (1000 * random() + late);
      pending.push({ at, tokens: charging.atEnd(chat), to });
      const ended = decided + work + back;
      const answered = chat.isStream ? sent + 0.7 * (ended - sent) : ended;
      const usage = { tokens: chat.prompt + chat.answer, input: chat.prompt };
      return {
        ...common,
        answered: Math.max(decided, answered),
        ended,
        status: 200,
        unit: null,
        remainingTokens,
        ...usage,
      };
    });
  return seen.toSorted((a, b) => a.sent - b.sent);
};

/** Draws a load from a quarter to five times the limit: steady, in bursts with idle times between, or mixed. */
export const drawLoad = (run: SeenRun): TokenLoad =>
  run.random() < 0.35 ? drawNearLoad(run) : drawAnyLoad(run);

/** Draws a load near what every limiter admits: a fifth of the limit at once, then nearly all the rest evenly. */
const drawNearLoad = ({ window, random }: SeenRun): TokenLoad => {
  const size = 1 / (60 + 140 * random());
  const atOnce = 0.05 + 0.15 * random();
  const perWindow = (1 - atOnce) * (0.75 + 0.35 * random());
  const first = Math.floor(atOnce / size);
  const gap = (window * size) / perWindow;
  const rest = Math.ceil((window * (2 + 2 * random())) / gap);
  const due = [
    ...Array.from({ length: first }, (_, i) => i),
    ...Array.from({ length: rest }, (_, i) => first + i * gap),
  ];
  return { due, sizes: due.map(() => size), answers: 0.001, isNamed: true };
};

const drawAnyLoad = ({ window, random }: SeenRun): TokenLoad => {
  const size = 1 / (8 + 100 * random());
  const rate = 0.25 * 20 ** random();
  const perWindow = Math.min(400, rate / size);
  const length = window * (2 + 4 * random());
  const burst = random() < 0.4 ? 1 + Math.floor(random() * perWindow) : 1;
  const isEven = random() < 0.5;
  const due: number[] = [];
  let at = 0;
  while (at < length && due.length < 1200) {
    for (let i = 0; i < burst; i += 1) due.push(at + i * random() * 5);
    at += (burst * window * (isEven ? 1 : -Math.log(1 - random()))) / perWindow;
    if (random() < 0.02) at += window * (1 + 2 * random());
  }
  due.sort((a, b) => a - b);
  const isMixed = random() < 0.3;
  const sizes = due.map(() => (isMixed ? size * (0.2 + 1.6 * random()) : size));
  const answers = random() < 0.5 ? 0.001 : 2 * random();
  return { due, sizes, answers, isNamed: random() < 0.7 };
};
