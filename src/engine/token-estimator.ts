import type { Outcome } from '../model/observation/outcome.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import type { TokenDemand } from '../traffic/request/token-demand.ts';

/** What gateways estimate before they have counted. */
const defaultTokensPerCharacter = 1 / 4;
/** The most that a chat's template adds to its texts. */
const templateTokens = 10;

/** Estimates the tokens of requests. It learns from their usage how many tokens a character of an entry's prompts makes. */
export class TokenEstimator {
  /** The most tokens per character observed in an entry's prompts. */
  readonly #tokensPerCharacter = new Map<Traffic, number>();

  /** The most tokens that a request can use for prompt and answer, by what is known now. */
  estimate(demand: TokenDemand | null): number {
    return demand === null ? 0 : this.#prompt(demand) + demand.output;
  }

  /** The tokens an attempt used: all that was reserved where the server may still be working or reports no usage. */
  used(demand: TokenDemand | null, reserved: number, outcome: Outcome): number {
    if (demand === null || outcome.kind === 'limited' || outcome.kind === 'refused') return 0;
    if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return reserved;
    const { input, output } = outcome.answer.tokens;
    if (input === null) return this.#prompt(demand) + output;
    this.#learn(demand, input);
    return input + output;
  }

  #prompt({ traffic, characters, media }: TokenDemand): number {
    const density = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    return Math.ceil(characters * density) + media + templateTokens;
  }

  /** What a model counts more for images than was estimated is learned as part of the texts. */
  #learn({ traffic, characters, media }: TokenDemand, input: number): void {
    const current = this.#tokensPerCharacter.get(traffic) ?? defaultTokensPerCharacter;
    if (characters > 0)
      this.#tokensPerCharacter.set(traffic, Math.max(current, (input - media) / characters));
  }
}
