import type { LimitBug, ResolvedMockLimits } from '../../model/gateway/mock-limits.ts';
import type { Draw } from '../../model/workload/draw.ts';
import type { Meter, MeterLevel, MeterRule } from './meter.ts';
import { openMeter, staleTokenCounter, withDelayedWrites } from './meters.ts';
import {
  type ChargedChat,
  type ChatUse,
  expectedCost,
  noChat,
  type TokenRules,
  tokenRulesOf,
  usedCost,
} from './token-rules.ts';

/** The parts of a charge, in tokens. A part that gives tokens back is negative. A part of zero tokens is absent. */
export type TokenParts = Readonly<Partial<Record<'prompt' | 'completion' | 'reservation', number>>>;

export interface TokenCharge {
  /** When the charge counts. This time may be in the future. */
  readonly at: number;
  readonly tokens: number;
  readonly parts: TokenParts;
  /** The remaining tokens of the limiter before and after the charge; `null` until the charge counts. */
  left: { readonly before: number; readonly after: number } | null;
}

export type RecordCharge = (charge: TokenCharge) => void;

interface TokenStore {
  readonly meter: Meter;
  /** Counts a charge at its time `at`. */
  readonly charge: (now: number, charge: TokenCharge) => void;
}

/**
 * Opens a counter of tokens. A charge counts only from its due time on. Every access to the counter therefore first
 * counts the charges that have become due.
 */
const openTokenStore = (meter: Meter): TokenStore => {
  const pending: TokenCharge[] = [];
  const written = (now: number): Meter => {
    while (pending.length > 0 && pending[0]!.at <= now) {
      const charge = pending.shift()!;
      const before = meter.left(charge.at);
      meter.count(charge.at, charge.tokens);
      charge.left = { before, after: meter.left(charge.at) };
    }
    return meter;
  };
  return {
    charge: (now, charge) => {
      pending.push(charge);
      written(now);
    },
    meter: {
      fits: (now, amount) => written(now).fits(now, amount),
      fitsAt: (now, amount) => written(now).fitsAt(now, amount),
      count: (now, amount) => written(now).count(now, amount),
      onRefused: (now) => written(now).onRefused(now),
      left: (now) => written(now).left(now),
      level: (now) => written(now).level(now),
    },
  };
};

/**
 * Opens the token charges of one request. Charges are made at the request's admission, at its first token and at its
 * end.
 */
const openTokenAccount = (
  { meter, charge }: TokenStore,
  rules: TokenRules,
  record: RecordCharge,
) => {
  const { charging } = rules;
  let chat = noChat;
  const charged = { prompt: 0, reservation: 0 };
  let hasFirstToken = false;
  const post = (now: number, parts: Required<TokenParts>): void => {
    const some = Object.entries(parts).filter(([, tokens]) => tokens !== 0);
    if (some.length === 0) return;
    const tokens = some.reduce((sum, [, each]) => sum + each, 0);
    const one = { at: now + rules.delay, tokens, parts: Object.fromEntries(some), left: null };
    record(one);
    charge(now, one);
  };
  return {
    /**
     * Admits a chat, charges what is due on admission, and returns `null`. If the chat does not fit, returns the time
     * from which it would fit.
     */
    reserve: (now: number, size: ChargedChat): number | null => {
      chat = size;
      const { prompt, completion } = expectedCost(chat, rules);
      const needed = { below: 0, prompt, reservation: prompt + completion }[charging.admits];
      const isTested = charging.admits !== 'below' || charging.chargesRefused;
      if (rules.isEnforced && isTested && !meter.fits(now, needed)) {
        if (charging.chargesRefused) post(now, { prompt, completion: 0, reservation: 0 });
        return meter.fitsAt(now, needed);
      }
      if (charging.promptAt === 'admission') charged.prompt = prompt;
      if (charging.reserves) charged.reservation = completion;
      post(now, { ...charged, completion: 0 });
      return null;
    },
    firstToken: (now: number, cachedTokens: number): void => {
      hasFirstToken = true;
      if (charging.promptAt !== 'first-token') return;
      const use = { cachedTokens, written: 0, whole: 0, isCut: false };
      charged.prompt = usedCost(chat, use, rules).prompt;
      post(now, { prompt: charged.prompt, completion: 0, reservation: 0 });
    },
    end: (now: number, use: ChatUse): void => {
      const cost = usedCost(chat, use, rules);
      const isOwed = charging.promptAt !== 'first-token' || hasFirstToken;
      const prompt = isOwed ? cost.prompt : 0;
      const { completion } = cost;
      if (charging.settles) {
        const reservation = -charged.reservation;
        return post(now, { prompt: prompt - charged.prompt, completion, reservation });
      }
      post(now, {
        prompt: charging.promptAt === 'end' ? prompt : 0,
        completion: charging.reserves ? 0 : completion,
        reservation: 0,
      });
    },
  };
};

/** Opens the token limit of one key in one worker; `null` if the limit is disabled. */
export const openTokenLimiter = (limits: ResolvedMockLimits, phase: number, draw: Draw) => {
  const { tokensPerMinute: declared, charging, burstShare, steps } = limits;
  const { algorithm } = charging;
  if (declared === null || algorithm === 'in-flight') return null;
  const has = (bug: LimitBug): boolean => (limits.bugs as readonly LimitBug[]).includes(bug);
  const rules = tokenRulesOf(limits, declared);
  const openCounter = (limit: number): Meter => {
    const burst = Math.max(1, Math.floor(limit * burstShare));
    const rule: MeterRule = { limit, window: rules.window, phase, burst, steps };
    const meter = has('staleTokenCounter') ? staleTokenCounter(rule) : openMeter[algorithm](rule);
    return has('lostUpdates') ? withDelayedWrites(meter) : meter;
  };
  const stores = Array.from({ length: rules.replicas }, () =>
    openTokenStore(openCounter(rules.limit)),
  );
  const fullRest = openCounter(declared).left(0);
  /**
   * The difference between the declared limit and the enforced limit, in tokens. The header adds this difference to the
   * remaining tokens of the enforced limit, and so shows the remaining tokens of the declared limit.
   */
  const shownExtra = fullRest - openCounter(rules.limit).left(0);
  let turn = 0;
  let lockedUntil = Number.NEGATIVE_INFINITY;
  const store = (): TokenStore => stores[Math.max(0, turn - 1) % stores.length]!;
  return {
    limit: declared,
    /** Chooses the next counter in turn. The returned object charges the tokens of one request to this counter. */
    open: (record: RecordCharge) => {
      turn += 1;
      return openTokenAccount(store(), rules, record);
    },
    /** Begins a request, and returns the time at which the request may continue. */
    begin: (now: number): number => store().meter.count(now, 0),
    /** If a request of unknown size is refused now, returns the time from which it would fit; otherwise `null`. */
    refusedUntil: (now: number): number | null => {
      if (!rules.isEnforced) return null;
      if (now < lockedUntil) return lockedUntil;
      const { meter } = store();
      if (!charging.chargesRefused && !meter.fits(now, 0))
        return Math.max(lockedUntil, meter.fitsAt(now, 0));
      const isUnlucky = rules.randomRefusals > 0 && draw.uniform() < rules.randomRefusals;
      return isUnlucky ? now : null;
    },
    onRefused: (now: number): void => {
      if (rules.lockout > 0 && now >= lockedUntil) lockedUntil = now + rules.lockout;
    },
    /** Returns the level that headers and refusals show. */
    shownLevel: (now: number): MeterLevel => {
      const { meter } = store();
      const level = meter.level(now);
      if (!rules.showsUse) return { ...level, remaining: fullRest };
      if (shownExtra === 0) return level;
      const left = Math.floor(meter.left(now) + shownExtra);
      return { ...level, remaining: Math.max(0, left) };
    },
    levels: (now: number) =>
      stores.map(({ meter }) => ({ limit: rules.limit, ...meter.level(now) })),
  };
};
