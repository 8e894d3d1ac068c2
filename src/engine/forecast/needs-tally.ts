import type {
  ForecastAmount,
  AmountBasis,
  ForecastGroup,
  ResourceNeed,
} from '../../model/plan/forecast.ts';
import type { RequestNeeds } from '../../traffic/request/request-needs.ts';

/** The bases of an amount, the most certain basis first. */
const basesByCertainty: readonly AmountBasis[] = ['exact', 'at-most', 'estimate'];

const leastCertain = (bases: readonly AmountBasis[]): AmountBasis =>
  basesByCertainty.findLast((basis) => bases.includes(basis)) ?? 'exact';

/**
 * Sums the tokens and costs of requests. If only a sample of the requests was added, the sum of the sample is scaled
 * up.
 */
export class NeedsTally {
  readonly #requestBasis: AmountBasis;
  readonly #isAssumed: boolean;
  #requests = 0;
  #measured = 0;
  #hangUps = 0;
  #sampled = 0;
  readonly #sum = { input: 0, output: 0, cost: 0, gaps: 0 };
  readonly #unknown = { output: 0, cost: 0 };
  #isCounted = true;
  #isFixed = true;

  /**
   * Creates an empty tally. `requestBasis` says how certain the number of requests is. `isAssumed` says whether cached
   * tokens are assumed.
   */
  constructor(requestBasis: AmountBasis, isAssumed: boolean) {
    this.#requestBasis = requestBasis;
    this.#isAssumed = isAssumed;
  }

  count(isMeasured: boolean, hangsUp: boolean): void {
    this.#requests += 1;
    if (!isMeasured) return;
    this.#measured += 1;
    if (hangsUp) this.#hangUps += 1;
  }

  addSample({ input, isCounted, output, isFixed, cost }: RequestNeeds): void {
    this.#sampled += 1;
    this.#sum.input += input;
    this.#sum.output += output ?? 0;
    this.#sum.cost += cost ?? 0;
    this.#sum.gaps += Math.max(0, (output ?? 0) - 1);
    if (output === null) this.#unknown.output += 1;
    if (cost === null) this.#unknown.cost += 1;
    this.#isCounted &&= isCounted;
    this.#isFixed &&= isFixed;
  }

  meanTokens(): number {
    return this.#sampled === 0 ? 0 : (this.#sum.input + this.#sum.output) / this.#sampled;
  }

  total(): ResourceNeed & Pick<ForecastGroup, 'measured' | 'hangUps' | 'gaps'> {
    const amount = (sum: number, unknown: number, basis: AmountBasis): ForecastAmount => ({
      sum: this.#scaled(sum),
      basis:
        this.#sampled < this.#requests ? 'estimate' : leastCertain([basis, this.#requestBasis]),
      unknown: this.#scaled(unknown),
    });
    const input = this.#isCounted ? 'exact' : 'estimate';
    const output = this.#isFixed ? 'exact' : 'at-most';
    const costBasis = this.#isAssumed ? 'estimate' : leastCertain([input, output]);
    const gaps = (this.#sum.gaps / Math.max(1, this.#sampled)) * (this.#measured - this.#hangUps);
    return {
      requests: { sum: this.#requests, basis: this.#requestBasis, unknown: 0 },
      input: amount(this.#sum.input, 0, input),
      output: amount(this.#sum.output, this.#unknown.output, output),
      cost: amount(this.#sum.cost, this.#unknown.cost, costBasis),
      measured: this.#measured,
      hangUps: this.#hangUps,
      gaps: this.#unknown.output > 0 ? null : Math.round(gaps),
    };
  }

  #scaled(sum: number): number {
    return this.#sampled === this.#requests || this.#sampled === 0
      ? sum
      : Math.round((sum / this.#sampled) * this.#requests);
  }
}

export const totalNeed = (needs: readonly ResourceNeed[]): ResourceNeed => {
  const total = (resource: keyof ResourceNeed): ForecastAmount => {
    const amounts = needs.map((need) => need[resource]);
    const used = amounts.filter(({ sum, unknown }) => sum + unknown > 0);
    return {
      sum: amounts.reduce((whole, { sum }) => whole + sum, 0),
      basis: leastCertain(used.map(({ basis }) => basis)),
      unknown: amounts.reduce((whole, { unknown }) => whole + unknown, 0),
    };
  };
  return {
    requests: total('requests'),
    input: total('input'),
    output: total('output'),
    cost: total('cost'),
  };
};
