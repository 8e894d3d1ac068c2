import {
  type OutcomeKind,
  outcomeKinds,
  type TokenSource,
} from '../../model/observation/outcome.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { kindsPresent } from './figures.ts';

/** The meaning of each line of the arrivals table. */
export const arrivalMeaning = {
  due: 'Every arrival of the schedule.',
  sent: 'At least the first byte was written.',
  completed: 'A complete answer that keeps the contract.',
  limited: 'Answered 429: the gateway’s rate limit.',
  refused: 'Answered with any other status outside 2xx.',
  malformed:
    'Answered 2xx, but the answer breaks the contract, for example an error inside a stream.',
  broken: 'No complete answer: the connection failed, a deadline passed, or the run ended first.',
  dropped:
    'Due but never sent: the maximum number of requests was in flight, or the pace did not release it in time.',
} as const satisfies Record<ArrivalRow['name'], string>;

export const tokenSourceMeaning = {
  usage: 'counted by the server',
  events: 'counted as token events',
  characters: 'estimated as characters / 4',
} as const satisfies Record<TokenSource, string>;

/** One line of the arrivals table: over the whole run, and without the warm-up. */
export interface ArrivalRow {
  readonly name: 'due' | 'sent' | OutcomeKind;
  readonly all: number;
  readonly measured: number;
}

/** Due, sent, and each outcome; all shares are of the first row. */
export const arrivalRows = (result: Result): readonly ArrivalRow[] => {
  const measuredGroups = groupsMatching(result, outsideWarmUp);
  const [all, measuredCounts] = [sumOutcomes(result.groups), sumOutcomes(measuredGroups)];
  const sent = (groups: Result['groups']): number =>
    groups.reduce((sum, group) => sum + group.sent, 0);
  return [
    { name: 'due', all: countArrivals(all), measured: countArrivals(measuredCounts) },
    { name: 'sent', all: sent(result.groups), measured: sent([...measuredGroups]) },
    ...outcomeKinds.map((name) => ({ name, all: all[name], measured: measuredCounts[name] })),
  ];
};

/** One row of the table by its name. */
export const arrivalRow = (rows: readonly ArrivalRow[], name: ArrivalRow['name']): ArrivalRow =>
  rows.find((row) => row.name === name) ?? { name, all: 0, measured: 0 };

/** The outcomes of each kind of traffic over the whole run. */
export interface KindArrivals {
  /** Those with the most arrivals first. */
  readonly kinds: readonly TrafficKind[];
  readonly rows: readonly {
    readonly name: ArrivalRow['name'];
    readonly all: number;
    /** In the order of `kinds`. */
    readonly byKind: readonly number[];
  }[];
}

/** `null` if there was only one kind of traffic. */
export const arrivalsByKind = (result: Result): KindArrivals | null => {
  const kinds = kindsPresent(result);
  if (kinds.length < 2) return null;
  const columns = kinds.map((kind) =>
    arrivalRows({
      ...result,
      groups: result.groups.filter(({ labels }) => labels.traffic === kind),
    }),
  );
  const rows = arrivalRows(result).map(({ name, all }, i) => ({
    name,
    all,
    byKind: columns.map((column) => column[i]!.all),
  }));
  return { kinds, rows };
};
