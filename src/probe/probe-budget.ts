import { chatCost, speechCost, transcriptionCost } from '../contract/prices.ts';
import type { LimitRule, ProbePhase } from '../model/limits/limit-log.ts';
import { phaseBudget } from './phase-budget.ts';

/** What an examination will take, told before it begins. */
export interface ProbeBudget {
  /** Requests: usually, and never more than. */
  readonly typical: number;
  readonly max: number;
  /** Milliseconds, usually. */
  readonly time: number;
  /** Tokens: usually, and at most. */
  readonly tokens: { readonly typical: number; readonly max: number };
  /** Micro-units of the currency at most; `null` without a price for chats. */
  readonly cost: number | null;
}

/** A small chat of the probe, generously. */
const chatTokens = { input: 15, output: 1 };
/** What the few chats with long prompts and longer answers add. */
const longTokens = { input: 1000, output: 200 };
/** Speech and transcriptions that are asked at most: while counting, and of the exhausted key. */
const audioRequests = { count: 2, characters: 4, seconds: 0.1 };

/** What the phases take, by the rule that is examined; `price` in micro-units for a million tokens. */
export const probeBudgetFor = (
  phases: readonly ProbePhase[],
  rule: LimitRule,
  hasSecondKey: boolean,
  price: { readonly input: number; readonly output: number } | null,
): ProbeBudget => {
  const parts = phases.map((phase) => phaseBudget(phase, rule, hasSecondKey));
  const sum = (pick: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((whole, part) => whole + pick(part), 0);
  const [usual, most] = [sum((part) => part.usual), sum((part) => part.most)];
  const isLong = phases.includes('counting') ? 1 : 0;
  const tokensOf = (requests: number) => ({
    input: requests * chatTokens.input + isLong * longTokens.input,
    output: requests * chatTokens.output + isLong * longTokens.output,
  });
  const total = (requests: number): number => tokensOf(requests).input + tokensOf(requests).output;
  const audio =
    audioRequests.count *
    (speechCost(audioRequests.characters) + transcriptionCost(audioRequests.seconds));
  return {
    typical: usual,
    max: most,
    time: sum((part) => part.time),
    tokens: { typical: total(usual), max: total(most) },
    cost: price === null ? null : chatCost(tokensOf(most), price) + audio,
  };
};
