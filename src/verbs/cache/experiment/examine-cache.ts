import {
  agesSeen,
  boundsOf,
  type CacheReply,
  chooseReader,
  type HitReader,
  inferShare,
  type KnownReplies,
  leastLosses,
} from '../judge/cache-hits.ts';
import type { CacheReport, KeptBounds, RepeatedPrompt } from '../model/cache-report.ts';

/** The clock and the target of the examination. Times are in ms. */
export interface CachePorts {
  readonly now: () => number;
  readonly sleep: (length: number) => Promise<void>;
  /**
   * Sends a prompt, and asks for one token. Resolves with the reply, or with a reason why no more requests can be sent.
   */
  readonly ask: (prompt: string) => Promise<CacheReply | string>;
  readonly isStopped: () => boolean;
}

export interface CacheBudget {
  /** The maximum number of tokens that may be sent and received. */
  readonly tokens: number;
  /** The longest time in ms between a prompt and its repetition. */
  readonly longest: number;
}

export type CacheFacts = Pick<
  CacheReport,
  | 'stopped'
  | 'seenBy'
  | 'promptTokens'
  | 'cachedTokens'
  | 'inferredShare'
  | 'shortest'
  | 'age'
  | 'isSteady'
  | 'repetitions'
  | 'others'
> & { readonly spent: Omit<CacheReport['spent'], 'cost'> };

/** The number of tokens of a long prompt. */
const longPrompt = 1024;
const lengths = [64, 128, 256, 512] as const;
/**
 * The number of a request's tokens that are not words of its prompt: the tokens of the chat template and of the answer.
 */
const otherTokens = 40;
const references = 5;
/**
 * The number of ages that are tried at the same time. Each further round tries this many ages between the highest age
 * at which a prompt was kept and the lowest age at which one was lost.
 */
const agesAtOnce = 8;
const narrowings = 2;
const leastAge = 2000;
/** At most this many other prompts are sent between a prompt and its repetition. */
const mostOthers = 64;
/**
 * If a prompt is lost after at most this many other prompts, the try is repeated. With more other prompts, a repetition
 * would cost too much.
 */
const fewOthers = 8;

/** The maximum number of chats that are sent. Chats that are sent again after a refusal are not counted. */
export const mostChats = 312;

const nothing: KeptBounds = { kept: null, lost: null };

/** Returns `wanted` ages above `low` and up to `high`. The ratio between neighbouring ages is always the same. */
const agesBetween = (low: number, high: number, wanted: number): readonly number[] =>
  Array.from({ length: wanted }, (_, at) => low * (high / low) ** ((at + 1) / wanted));

interface Times {
  readonly sent: number;
  readonly ended: number;
}

/**
 * Returns when the answered request was sent and when its answer ended. A wait for the key's limit before this request
 * is not included.
 */
const timesOf = ({ took }: CacheReply, ended: number): Times => ({ sent: ended - took, ended });

/**
 * The reply to a repeated prompt. `most` is the highest age in ms that the prompt can have had: from its first sending
 * to the end of this reply.
 */
interface Repeated {
  readonly reply: CacheReply;
  readonly most: number;
}

/** Sends prompts within a budget. No two new prompts begin alike, and no two requests end alike. */
class Prompts {
  readonly spent = { requests: 0, tokens: 0 };
  stopped: string | null = null;
  /**
   * Whether the cache lost a prompt, but kept the next prompt that was repeated in the same way. The losses then do not
   * show what the cache keeps.
   */
  hasWavered = false;
  readonly #ports: CachePorts;
  readonly #budget: CacheBudget;
  readonly #begun: number;
  #serial = 0;
  /** The number of tokens of the word that prompts repeat: 1 in common vocabularies. */
  #perWord = 1;

  constructor(ports: CachePorts, budget: CacheBudget) {
    this.#ports = ports;
    this.#budget = budget;
    this.#begun = Math.round(ports.now());
  }

  /** Returns a new beginning of a prompt. No cache has this beginning, since it starts with a unique number. */
  fresh(tokens: number = longPrompt): string {
    this.#serial += 1;
    const words = Math.max(1, Math.round(tokens / this.#perWord));
    return `Note ${this.#serial}-${this.#begun}.${' time'.repeat(words)}`;
  }

  /**
   * Measures how many tokens a word takes, with a short and a long prompt. The short prompt also opens the connection.
   */
  async learnWords(): Promise<void> {
    const [least, most] = [1, 65];
    const replies = [await this.send(this.fresh(least)), await this.send(this.fresh(most))];
    const [short, long] = replies.map((reply) => reply?.tokens ?? null);
    if (short === null || long === null) return;
    this.#perWord = Math.max(0.1, (long! - short!) / (most - least));
  }

  /** Sends a prompt that begins with `beginning`. Returns the reply, or `null` if no more requests can be sent. */
  async send(beginning: string): Promise<CacheReply | null> {
    if (this.stopped !== null) return null;
    const prompt = `${beginning} That was note ${this.spent.requests + 1}. Say yes.`;
    const tokens = Math.ceil(prompt.split(' ').length * this.#perWord) + otherTokens;
    if (this.#ports.isStopped()) this.stopped = 'stopped by the user';
    else if (this.spent.tokens + tokens > this.#budget.tokens)
      this.stopped = 'the budget of tokens is spent';
    else if (this.spent.requests === mostChats) this.stopped = 'the budget of requests is spent';
    if (this.stopped !== null) return null;
    this.spent.requests += 1;
    const reply = await this.#ports.ask(prompt);
    if (typeof reply === 'string') {
      this.stopped = reply;
      return null;
    }
    this.spent.tokens += reply.tokens === null ? tokens : reply.tokens + 1;
    return reply;
  }

  /** Sends a prompt with a new beginning, then some other prompts, then the first beginning again. */
  async repeat(tokens: number, others = 0): Promise<Repeated | null> {
    const beginning = this.fresh(tokens);
    const first = await this.send(beginning);
    if (first === null) return null;
    const { sent } = timesOf(first, this.#ports.now());
    for (let count = 0; count < others; count += 1)
      if ((await this.send(this.fresh())) === null) return null;
    const reply = await this.send(beginning);
    return reply === null ? null : { reply, most: this.#ports.now() - sent };
  }

  /**
   * Repeats a new prompt. If the cache lost the prompt, tries again with other new prompts. Returns the result of the
   * last try.
   */
  async repeatLosses(tokens: number, others: number, isHit: HitReader): Promise<Repeated | null> {
    let repeated: Repeated | null = null;
    for (let tries = 0; tries < (others > fewOthers ? 1 : leastLosses); tries += 1) {
      repeated = await this.repeat(tokens, others);
      const hit = repeated === null ? null : isHit(repeated.reply);
      if (hit === true && tries > 0) this.hasWavered = true;
      if (hit !== false) break;
    }
    return repeated;
  }
}

const measureKnown = async (prompts: Prompts): Promise<KnownReplies> => {
  const known = { short: [] as CacheReply[], fresh: [] as CacheReply[], again: [] as CacheReply[] };
  await prompts.learnWords();
  for (let round = 0; round < references; round += 1) {
    const beginning = prompts.fresh();
    for (const [kind, text] of [
      ['short', prompts.fresh(1)],
      ['fresh', beginning],
      ['again', beginning],
    ] as const) {
      const reply = await prompts.send(text);
      if (reply === null) return known;
      known[kind].push(reply);
    }
  }
  return known;
};

/**
 * Finds the shortest prompt that the cache keeps. The search needs reported tokens, since the times of short prompts
 * hardly differ.
 */
const findShortest = async (prompts: Prompts, isHit: HitReader): Promise<KeptBounds> => {
  let [kept, lost]: [number | null, number | null] = [null, null];
  for (const length of [...lengths, longPrompt]) {
    const repeated = await prompts.repeatLosses(length, 0, isHit);
    if (repeated === null) break;
    const { reply } = repeated;
    const tokens = reply.tokens ?? length;
    const hit = isHit(reply);
    if (hit === true) {
      kept = tokens;
      break;
    }
    if (hit === false) lost = tokens;
  }
  return { kept, lost };
};

/** Waits until a moment, or until the user stops the examination. */
export const waitUntil = async (
  { now, sleep, isStopped }: Pick<CachePorts, 'now' | 'sleep' | 'isStopped'>,
  moment: number,
): Promise<void> => {
  while (now() < moment && !isStopped()) await sleep(Math.min(500, moment - now()));
};

/** Sends a prompt for each age, and sends each prompt again when the prompt has reached its age. */
const tryAges = async (
  ports: CachePorts,
  prompts: Prompts,
  isHit: HitReader,
  ages: readonly number[],
): Promise<readonly RepeatedPrompt[]> => {
  const firsts: ({ readonly age: number; readonly text: string } & Times)[] = [];
  for (const age of ages) {
    const text = prompts.fresh();
    const reply = await prompts.send(text);
    if (reply === null) return [];
    firsts.push({ age, text, ...timesOf(reply, ports.now()) });
  }
  const found: RepeatedPrompt[] = [];
  for (const { age, text, sent, ended } of firsts) {
    await waitUntil(ports, ended + age);
    const reply = await prompts.send(text);
    if (reply === null) break;
    const again = timesOf(reply, ports.now());
    found.push({ age: again.sent - ended, most: again.ended - sent, hit: isHit(reply) });
  }
  return found;
};

const isLost = (repetitions: readonly RepeatedPrompt[]): boolean =>
  repetitions.every(({ hit }) => hit === false);

/**
 * Returns the highest age at which a prompt was kept and the lowest age at which one was lost; `null` if either is
 * unknown, or if the cache is not steady.
 */
const narrowed = (found: readonly RepeatedPrompt[]): readonly [number, number] | null => {
  const { kept, lost } = agesSeen(found);
  const isSteady = kept !== null && lost !== null && boundsOf(found, []).isSteady;
  return isSteady ? [kept, lost] : null;
};

/**
 * Finds how long the cache keeps a prompt. Tries many prompts at once if the cache holds enough prompts, otherwise one
 * after another.
 */
const findAge = async (
  ports: CachePorts,
  prompts: Prompts,
  isHit: HitReader,
  longest: number,
): Promise<readonly RepeatedPrompt[]> => {
  const between = await prompts.repeat(longPrompt, agesAtOnce);
  const keepsMany = between !== null && isHit(between.reply) === true;
  const found: RepeatedPrompt[] = [];
  let [low, high] = [leastAge / 2, longest];
  let left = longest * (1 + narrowings);
  for (let round = 0; round <= narrowings && high / low > 1.1; round += 1) {
    const ages = agesBetween(low, high, keepsMany ? agesAtOnce : 3);
    const most = keepsMany ? 1 : leastLosses;
    const groups = keepsMany ? [ages] : ages.map((age) => [age]);
    for (let [at, losses] = [0, 0]; losses < most && at < groups.length;) {
      const some = groups[at]!;
      if ((left -= some.at(-1)!) < 0) return found;
      const repetitions = await tryAges(ports, prompts, isHit, some);
      found.push(...repetitions);
      if (repetitions.length < some.length) return found;
      losses = isLost(repetitions) ? losses + 1 : 0;
      if (losses === 0) at += 1;
    }
    const next = narrowed(found);
    if (next === null) break;
    [low, high] = next;
  }
  return found;
};

/**
 * Finds how many tokens of other prompts displace a prompt from the cache. The search ends when a prompt is lost at an
 * age above `keptFor` ms, since the age may then be the cause of the loss.
 */
const findOthers = async (
  prompts: Prompts,
  isHit: HitReader,
  keptFor: number | null,
): Promise<KeptBounds> => {
  let [kept, lost]: [number | null, number | null] = [null, null];
  for (let others = 1; others <= mostOthers && lost === null; others *= 2) {
    const repeated = await prompts.repeatLosses(longPrompt, others, isHit);
    if (repeated === null) break;
    const { reply, most } = repeated;
    const between = others * (reply.tokens === null ? longPrompt + otherTokens : reply.tokens + 1);
    const hit = isHit(reply);
    if (hit === true) kept = between;
    else if (hit === false && keptFor !== null && most <= keptFor) lost = between;
    else break;
  }
  return { kept, lost };
};

/**
 * Examines the cache of a target: how much of a prompt the cache keeps, for how long, and how many other prompts
 * displace a prompt.
 */
export const examineCache = async (ports: CachePorts, budget: CacheBudget): Promise<CacheFacts> => {
  const prompts = new Prompts(ports, budget);
  const known = await measureKnown(prompts);
  const reader = chooseReader(known);
  const counts = (name: 'tokens' | 'cached'): number | null => {
    const all = known.again.map((reply) => reply[name]).filter((each) => each !== null);
    return all.length === 0 ? null : Math.max(...all);
  };
  const facts = {
    seenBy: reader?.seenBy ?? null,
    promptTokens: counts('tokens'),
    cachedTokens: counts('cached'),
    inferredShare: inferShare(known),
  };
  if (reader === null) {
    const { spent, stopped } = prompts;
    const bounds = { shortest: nothing, age: nothing, others: nothing };
    return { ...facts, ...bounds, spent, stopped, isSteady: true, repetitions: [] };
  }
  const { isHit, seenBy } = reader;
  const shortest = seenBy === 'reported' ? await findShortest(prompts, isHit) : nothing;
  const repetitions = await findAge(ports, prompts, isHit, budget.longest);
  const found = boundsOf(repetitions, known.again.map(isHit));
  const others = await findOthers(prompts, isHit, found.age.kept);
  const { spent, stopped } = prompts;
  const isSteady = found.isSteady && !prompts.hasWavered;
  const certain = (bounds: KeptBounds): KeptBounds =>
    isSteady ? bounds : { ...bounds, lost: null };
  return {
    ...facts,
    isSteady,
    age: certain(found.age),
    shortest: certain(shortest),
    others: certain(others),
    repetitions: [...repetitions],
    spent,
    stopped,
  };
};
