import type { ShareRow } from '../model/fairness-report.ts';
import type { NoiseBlock, SeenArrival, SeenRun } from '../model/seen-arrival.ts';
import { meanInterval } from './moved.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * Divides an amount by max–min fairness. No party gets more than it requested, and the rest is divided evenly among the
 * other parties.
 */
export const maxMinShares = (asked: readonly number[], amount: number): readonly number[] => {
  const shares = asked.map(() => 0);
  const order = asked.map((_, place) => place).sort((a, b) => asked[a]! - asked[b]!);
  let left = amount;
  for (const [served, place] of order.entries()) {
    shares[place] = Math.min(asked[place]!, left / (order.length - served));
    left -= shares[place];
  }
  return shares;
};

const units = {
  requests: () => 1,
  tokens: ({ tokens }: SeenArrival) => tokens,
} as const;

/**
 * Returns a function that names the party of an arrival: the population, or a single key of a population with several
 * keys.
 */
const partyOf = (arrivals: readonly SeenArrival[]): ((arrival: SeenArrival) => string) => {
  const keys = new Map<string, Set<string>>();
  for (const { population, key } of arrivals)
    keys.set(population, (keys.get(population) ?? new Set()).add(key));
  return ({ population, key }) =>
    keys.get(population)!.size > 1 ? `${population}, key ${key}` : population;
};

/**
 * Returns the sum of `of` over the arrivals in some blocks, per second of these blocks. `at` says which instant of an
 * arrival must lie in a block: the due instant or the end of the request.
 */
const rateIn = (
  arrivals: readonly SeenArrival[],
  blocks: readonly NoiseBlock[],
  at: 'due' | 'ended',
  of: (arrival: SeenArrival) => number,
): number => {
  const length = sumOf(blocks, ({ from, to }) => to - from);
  const isWithin = (instant: number): boolean =>
    blocks.some(({ from, to }) => instant >= from && instant < to);
  let sum = 0;
  for (const arrival of arrivals) if (isWithin(arrival[at])) sum += of(arrival);
  return length === 0 ? 0 : (1000 * sum) / length;
};

interface Party {
  readonly name: string;
  readonly arrivals: readonly SeenArrival[];
  /**
   * The demand of the party, in requests per second. Users of the noisy population send more whenever they get more, so
   * their demand is infinite.
   */
  readonly asked: number;
}

const ratesOf = (
  parties: readonly Party[],
  blocks: readonly NoiseBlock[],
  of: (arrival: SeenArrival) => number,
): readonly number[] => parties.map(({ arrivals }) => rateIn(arrivals, blocks, 'ended', of));

const got = ({ isCompleted }: SeenArrival): number => (isCompleted ? 1 : 0);

/**
 * Returns the rate that each party got in blocks with noise, and its max–min fair share of the total. The fair share
 * depends on the demand of each party. The demand of a population on a schedule is its due requests. Users send a
 * request only after an answer, so the demand of users is the rate that they got without noise. The demand of noisy
 * users is infinite.
 */
export const sharesOf = (
  { blocks, arrivals, noisy, until }: SeenRun,
  hasUsers: (population: string) => boolean,
): { readonly rows: readonly ShareRow[]; readonly isContended: boolean } => {
  const whole = blocks.filter(({ to }) => to <= until);
  const [loud, calm] = [
    whole.filter(({ isNoisy }) => isNoisy),
    whole.filter(({ isNoisy }) => !isNoisy),
  ];
  const party = partyOf(arrivals);
  const parties = [...Map.groupBy(arrivals, party)].map(([name, own]): Party => {
    const { population } = own[0]!;
    const users = population === noisy ? Number.POSITIVE_INFINITY : rateIn(own, calm, 'ended', got);
    return {
      name,
      arrivals: own,
      asked: hasUsers(population) ? users : rateIn(own, loud, 'due', () => 1),
    };
  });
  const rows = (['requests', 'tokens'] as const).flatMap((unit) => {
    const amount = (arrival: SeenArrival): number => got(arrival) * units[unit](arrival);
    const asked = parties.map((each) => {
      const all = rateIn(each.arrivals, whole, 'ended', got);
      return all === 0
        ? each.asked
        : (each.asked * rateIn(each.arrivals, whole, 'ended', amount)) / all;
    });
    const taken = ratesOf(parties, loud, amount);
    const sum = sumOf(taken);
    if (sum === 0) return [];
    const fair = maxMinShares(asked, sum);
    const ofBlocks = loud.map((block) => {
      const inBlock = ratesOf(parties, [block], amount);
      return { inBlock, fair: maxMinShares(asked, sumOf(inBlock)) };
    });
    return parties.map(({ name }, place): ShareRow => {
      const kept = ofBlocks.flatMap(({ inBlock, fair: shares }) =>
        shares[place] === 0 ? [] : [inBlock[place]! / shares[place]!],
      );
      return {
        name,
        unit,
        asked: Number.isFinite(asked[place]!) ? asked[place]! : null,
        got: taken[place]!,
        share: taken[place]! / sum,
        fair: fair[place]!,
        kept: meanInterval(kept),
      };
    });
  });
  return {
    rows,
    isContended: rows.some(
      ({ asked, got: each, unit }) =>
        unit === 'requests' && (asked === null || each < 0.98 * asked),
    ),
  };
};
