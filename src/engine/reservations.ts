import type { Draw } from '../model/draw.ts';
import type { Outcome } from '../model/observation.ts';
import type { Traffic } from '../model/traffic.ts';
import { type TokenDemand, tokenDemand } from '../traffic/token-demand.ts';

/** What a request asks for, to be held against what it used. */
export interface Demand extends TokenDemand {
  readonly traffic: Traffic;
}

/** What gateways take for a token before they have counted. */
const tokensPerCharacter = 1 / 4;
/** What the template of a chat adds to its texts, at most. */
const template = 10;

/** Tokens that requests may use, and what they have used in the end. It learns how many tokens the characters of an entry's prompts make. */
export class Reservations {
  /** The most tokens for a character that an entry's prompts were seen to have. */
  readonly #densest = new Map<Traffic, number>();

  /** `null` for kinds of traffic that use no tokens. */
  demand(traffic: Traffic, draw: Draw): Demand | null {
    const demand = tokenDemand(traffic, draw);
    return demand === null ? null : { ...demand, traffic };
  }

  /** What a request may use, prompt and answer, by what is known now. */
  tokens(demand: Demand | null): number {
    return demand === null ? 0 : this.#prompt(demand) + demand.output;
  }

  /** What an attempt has used; where the server may be at work still, or has not said, all that was reserved. */
  used(demand: Demand | null, reserved: number, outcome: Outcome): number {
    if (demand === null || outcome.kind === 'limited' || outcome.kind === 'refused') return 0;
    if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return reserved;
    const { input, output } = outcome.answer.tokens;
    if (input === null) return this.#prompt(demand) + output;
    this.#learn(demand, input);
    return input + output;
  }

  #prompt({ traffic, characters }: Demand): number {
    const density = this.#densest.get(traffic) ?? tokensPerCharacter;
    return Math.ceil(characters * density) + template;
  }

  #learn({ traffic, characters }: Demand, input: number): void {
    const known = this.#densest.get(traffic) ?? tokensPerCharacter;
    if (characters > 0) this.#densest.set(traffic, Math.max(known, input / characters));
  }
}
