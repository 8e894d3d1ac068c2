import type { Outcome } from '../model/observation/outcome.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import {
  type DrawContext,
  type TokenDemand,
  tokenDemand,
} from '../traffic/request/token-demand.ts';

/** What a request asks for, to be held against what it used. */
export interface EntryTokenDemand extends TokenDemand {
  readonly traffic: Traffic;
}

/** What gateways take for a token before they have counted. */
const defaultTokensPerCharacter = 1 / 4;
/** What the template of a chat adds to its texts, at most. */
const templateTokens = 10;

/** Tokens that requests may use, and what they have used in the end. It learns how many tokens the characters of an entry's prompts make. */
export class TokenEstimator {
  /** The most tokens for a character that an entry's prompts were seen to have. */
  readonly #tokensPerCharacter = new Map<Traffic, number>();

  /** `null` for kinds of traffic that use no tokens. */
  demand(traffic: Traffic, drawing: DrawContext): EntryTokenDemand | null {
    const demand = tokenDemand(traffic, drawing);
    return demand === null ? null : { ...demand, traffic };
  }

  /** What a request may use, prompt and answer, by what is known now. */
  estimate(demand: EntryTokenDemand | null): number {
    return demand === null ? 0 : this.#prompt(demand) + demand.output;
  }

  /** What an attempt has used; where the server may be at work still, or has not said, all that was reserved. */
  used(demand: EntryTokenDemand | null, reserved: number, outcome: Outcome): number {
    if (demand === null || outcome.kind === 'limited' || outcome.kind === 'refused') return 0;
    if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return reserved;
    const { input, output } = outcome.answer.tokens;
    if (input === null) return this.#prompt(demand) + output;
    this.#learn(demand, input);
    return input + output;
  }

  #prompt({ traffic, characters }: EntryTokenDemand): number {
    const density = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    return Math.ceil(characters * density) + templateTokens;
  }

  #learn({ traffic, characters }: EntryTokenDemand, input: number): void {
    const current = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    if (characters > 0)
      this.#tokensPerCharacter.set(traffic, Math.max(current, input / characters));
  }
}
