import { chatCost, speechCost, transcriptionCost } from '../contract/prices.ts';
import type { LimitRule, ProbePhase } from '../model/limit-log.ts';
import { phaseBudget } from './phase-budget.ts';

/** What an examination will take, told before it begins. */
export interface Budget {
  /** Requests: usually, and never more than. */
  readonly usual: number;
  readonly most: number;
  /** Milliseconds, usually. */
  readonly time: number;
  /** Tokens: usually, and at most. */
  readonly tokens: { readonly usual: number; readonly most: number };
  /** Micro-units of the currency at most; `null` without a price for chats. */
  readonly cost: number | null;
}

/** A small chat of the probe, generously. */
const chatTokens = { input: 15, output: 1 };
/** What the few chats with long prompts and longer answers add. */
const longTokens = { input: 1000, output: 200 };
/** Speech and transcriptions that are asked at most: while counting, and of the exhausted key. */
const speeches = { count: 2, characters: 4, seconds: 0.1 };

/** What the phases take, by the rule that is examined; `price` in micro-units for a million tokens. */
export const budgetOf = (
  phases: readonly ProbePhase[],
  rule: LimitRule,
  hasSecondKey: boolean,
  price: { readonly input: number; readonly output: number } | null,
): Budget => {
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
    speeches.count * (speechCost(speeches.characters) + transcriptionCost(speeches.seconds));
  return {
    ...{ usual, most, time: sum((part) => part.time) },
    tokens: { usual: total(usual), most: total(most) },
    cost: price === null ? null : chatCost(tokensOf(most), price) + audio,
  };
};
