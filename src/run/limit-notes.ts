import type { Result } from '../model/result/result.ts';
import { keyUsages } from '../report/run/keys.ts';
import { countText } from '../report/text/number-text.ts';

const limitNames = [
  ['requests', 'requestsPerMinute'],
  ['tokens', 'tokensPerMinute'],
] as const;

/** Adds a note for each limit of the plan that the headers of the answers contradict. */
export const withLimitNotes = (result: Result): Result => {
  const usages = keyUsages(result);
  const notes = limitNames.flatMap(([unit, name]) => {
    const own = result.plan.limits[name];
    const reported = new Set(usages.flatMap((usage) => usage[unit].reported));
    if (own === null || reported.size === 0 || (reported.size === 1 && reported.has(own)))
      return [];
    const said = [...reported].toSorted((a, b) => a - b).map(countText);
    return [
      `The headers of the answers declare a limit of ${said.join(' and ')} ${unit} a minute, and the plan ${countText(own)} (limits.${name}).`,
    ];
  });
  return notes.length === 0 ? result : { ...result, notes: [...result.notes, ...notes] };
};
