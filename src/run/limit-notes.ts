import type { Result } from '../model/result/result.ts';
import { keyUsages } from '../report/run/keys.ts';
import { countText } from '../report/text/number-text.ts';

const limitNames = [
  ['requests', 'requestsPerMinute'],
  ['tokens', 'tokensPerMinute'],
] as const;

/** Joins numbers in ascending order, without repetitions, by "and". */
const listed = (numbers: readonly number[]): string =>
  [...new Set(numbers)]
    .toSorted((a, b) => a - b)
    .map(countText)
    .join(' and ');

/** Adds a note about the limits of requests or of tokens if response headers contradict the plan. */
export const withLimitNotes = (result: Result): Result => {
  const usages = keyUsages(result);
  const notes = limitNames.flatMap(([unit, name]) => {
    const others = usages.filter(
      ({ [unit]: { declared, reported } }) =>
        declared !== null && reported.some((limit) => limit !== declared),
    );
    const said = listed(others.flatMap((usage) => usage[unit].reported));
    const own = listed(others.flatMap((usage) => usage[unit].declared ?? []));
    return others.length === 0
      ? []
      : [
          `The headers of the answers declare a limit of ${said} ${unit} a minute, and the plan ${own} (limits.${name}).`,
        ];
  });
  return notes.length === 0 ? result : { ...result, notes: [...result.notes, ...notes] };
};
