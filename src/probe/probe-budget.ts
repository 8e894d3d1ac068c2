import { chatCost, speechCost, transcriptionCost } from '../contract/prices.ts';
import type { LimitRule, ProbePhase } from '../model/limits/limit-log.ts';
import { phaseBudget } from './phase-budget.ts';

/** The forecast of an examination. */
export interface ProbeBudget {
  /** Requests. */
  readonly typical: number;
  readonly max: number;
  /** Typical, in ms. */
  readonly time: number;
  readonly tokens: { readonly typical: number; readonly max: number };
  /** Maximum in micro-units of the currency; `null` without a price for chats. */
  readonly cost: number | null;
}

/** Upper bound of a small chat. */
const chatTokens = { input: 15, output: 1 };
/** Additional tokens of the chats with long prompts and longer answers. */
const longTokens = { input: 1000, output: 200 };
/** Maximum speech and transcription requests each: while counting, and with the exhausted key. */
const audioRequests = { count: 2, characters: 4, seconds: 0.1 };

/** Forecasts the phases for the examined rule; `price` in micro-units per million tokens. */
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
