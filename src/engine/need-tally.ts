import type { Amount, Basis, Need } from '../model/forecast.ts';
import type { Needs } from '../traffic/needs.ts';

/** From the surest to the least sure. */
const order: readonly Basis[] = ['exact', 'at-most', 'estimate'];

const weakest = (bases: readonly Basis[]): Basis =>
  order.findLast((basis) => bases.includes(basis)) ?? 'exact';

/** What some requests need, added up; of many requests some are looked into and stand for the others. */
export class NeedTally {
  readonly #asked: Basis;
  #requests = 0;
  #measured = 0;
  #looked = 0;
  readonly #sum = { input: 0, output: 0, cost: 0, gaps: 0 };
  readonly #unknown = { output: 0, cost: 0 };
  #isCounted = true;
  #isFixed = true;

  /** `asked` is how sure it is that they are asked at all. */
  constructor(asked: Basis) {
    this.#asked = asked;
  }

  count(isMeasured: boolean): void {
    this.#requests += 1;
    if (isMeasured) this.#measured += 1;
  }

  look({ input, isCounted, output, isFixed, cost }: Needs): void {
    this.#looked += 1;
    this.#sum.input += input;
    this.#sum.output += output ?? 0;
    this.#sum.cost += cost ?? 0;
    this.#sum.gaps += Math.max(0, (output ?? 0) - 1);
    if (output === null) this.#unknown.output += 1;
    if (cost === null) this.#unknown.cost += 1;
    this.#isCounted &&= isCounted;
    this.#isFixed &&= isFixed;
  }

  /** Of the requests that were looked into. */
  meanTokens(): number {
    return this.#looked === 0 ? 0 : (this.#sum.input + this.#sum.output) / this.#looked;
  }

  told(): Need & { readonly measured: number; readonly gaps: number | null } {
    const amount = (sum: number, unknown: number, basis: Basis): Amount => ({
      sum: this.#scaled(sum),
      basis: weakest([basis, this.#asked, ...this.#sampling()]),
      unknown: this.#scaled(unknown),
    });
    const input = this.#isCounted ? 'exact' : 'estimate';
    const output = this.#isFixed ? 'exact' : 'at-most';
    const gaps = (this.#sum.gaps / Math.max(1, this.#looked)) * this.#measured;
    return {
      requests: { sum: this.#requests, basis: this.#asked, unknown: 0 },
      input: amount(this.#sum.input, 0, input),
      output: amount(this.#sum.output, this.#unknown.output, output),
      cost: amount(this.#sum.cost, this.#unknown.cost, weakest([input, output])),
      measured: this.#measured,
      gaps: this.#unknown.output > 0 ? null : Math.round(gaps),
    };
  }

  #sampling(): readonly Basis[] {
    return this.#looked < this.#requests ? ['estimate'] : [];
  }

  #scaled(sum: number): number {
    return this.#looked === this.#requests || this.#looked === 0
      ? sum
      : Math.round((sum / this.#looked) * this.#requests);
  }
}

const addedUp = (amounts: readonly Amount[]): Amount => ({
  sum: amounts.reduce((whole, { sum }) => whole + sum, 0),
  basis: weakest(
    amounts.flatMap(({ sum, unknown, basis }) => (sum + unknown === 0 ? [] : [basis])),
  ),
  unknown: amounts.reduce((whole, { unknown }) => whole + unknown, 0),
});

/** Several needs together. */
export const totalNeed = (needs: readonly Need[]): Need => ({
  requests: addedUp(needs.map(({ requests }) => requests)),
  input: addedUp(needs.map(({ input }) => input)),
  output: addedUp(needs.map(({ output }) => output)),
  cost: addedUp(needs.map(({ cost }) => cost)),
});
