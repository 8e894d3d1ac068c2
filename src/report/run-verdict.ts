import type { Result } from '../model/result.ts';
import { arrivalsIn, missingSlices, outcomesOf } from '../model/summary.ts';
import type { Trust, TrustLevel } from '../model/verdict.ts';

/** What a report says first: whether its figures may be believed, and what the run itself came to. */
export interface RunVerdict {
  readonly level: TrustLevel;
  readonly title: string;
  readonly sentences: readonly string[];
}

const trustSentence = {
  valid: 'The generator kept its schedule: the figures are the gateway’s, not the generator’s.',
  degraded: 'The generator was strained: read the figures with the evidence beside them.',
  invalid:
    'The generator could not keep up: the figures say more about it than about the gateway. Chunk gaps are withheld.',
} as const satisfies Record<TrustLevel, string>;

const trustTitle = {
  valid: 'Valid',
  degraded: 'Degraded',
  invalid: 'Invalid',
} as const satisfies Record<TrustLevel, string>;

/** More slices than these are counted, not named. */
const namedSlices = 8;

const incompleteness = (result: Result): string => {
  const missing = missingSlices(result);
  const count = result.slices[0]?.count ?? 0;
  const names = missing.map((index) => `${index}/${count}`);
  if (names.length === 1) return `The run is incomplete: slice ${names.join('')} is missing.`;
  return names.length > namedSlices
    ? `The run is incomplete: ${names.length} of its ${count} slices are missing.`
    : `The run is incomplete: slices ${names.slice(0, -1).join(', ')} and ${names.at(-1)} are missing.`;
};

/** An incomplete run outranks what trust says, and a run in which nothing succeeded is never valid. */
export const runVerdict = (result: Result, trust: Trust): RunVerdict => {
  const outcomes = outcomesOf(result.groups);
  const isIncomplete = missingSlices(result).length > 0;
  const nothing = outcomes.completed === 0;
  const sentences = [
    ...(isIncomplete ? [incompleteness(result)] : []),
    ...(result.partial === null ? [] : [`The run stopped before its plan did: ${result.partial}.`]),
    ...(arrivalsIn(outcomes) === 0
      ? ['No request was due.']
      : nothing
        ? [
            'Not one request succeeded: there are no latencies to report; the failures below say why.',
          ]
        : []),
    trustSentence[trust.level],
  ];
  if (isIncomplete) return { level: 'invalid', title: 'Incomplete', sentences };
  if (nothing) return { level: 'invalid', title: 'Nothing succeeded', sentences };
  const title = trustTitle[trust.level];
  return {
    level: trust.level,
    title: result.partial === null ? title : `${title}, partial`,
    sentences,
  };
};
