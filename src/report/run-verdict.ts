import type { Result } from '../model/result.ts';
import { arrivalsIn, outcomesOf } from '../model/outcomes.ts';
import { groupsWhere, measured, measuresPresent, missingSlices } from '../model/summary.ts';
import type { Trust, TrustLevel } from '../model/verdict.ts';
import { errorBarText } from './error-bar-text.ts';

/** What a report says first: whether its figures may be believed, and what the run itself came to. */
export interface RunVerdict {
  readonly level: TrustLevel;
  readonly title: string;
  readonly sentences: readonly string[];
}

const trustSentence = {
  valid: 'The generator kept its schedule: the figures are the gateway’s, not the generator’s.',
  degraded: 'The generator was strained: read the figures with the evidence beside them.',
  invalid: 'The generator could not keep up: the figures say more about it than about the gateway.',
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

/** Why there are no figures. */
const nothingSentence = (result: Result): string => {
  if (arrivalsIn(outcomesOf(result.groups)) === 0) return 'No request was due.';
  if (arrivalsIn(outcomesOf(groupsWhere(result, measured))) === 0) {
    return 'No request was due after the warm-up: there is nothing to report figures of.';
  }
  const which = result.plan.warmUp > 0 ? 'request that was due after the warm-up' : 'request';
  return `Not one ${which} succeeded: there are no latencies to report; the failures below say why.`;
};

/** An incomplete run outranks what trust says, and one in which nothing succeeded after the warm-up is never valid. */
export const runVerdict = (result: Result, trust: Trust): RunVerdict => {
  const outcomes = outcomesOf(groupsWhere(result, measured));
  const isIncomplete = missingSlices(result).length > 0;
  const nothing = outcomes.completed === 0;
  const withheld = trust.level === 'invalid' && measuresPresent(result, measured).includes('gap');
  const sentences = [
    ...(isIncomplete ? [incompleteness(result)] : []),
    ...(result.partial === null ? [] : [`The run stopped before its plan did: ${result.partial}.`]),
    ...(nothing ? [nothingSentence(result)] : []),
    `${trustSentence[trust.level]}${withheld ? ' Chunk gaps are withheld.' : ''}`,
    ...[errorBarText(result)].flatMap((text) => text ?? []),
  ];
  if (isIncomplete) return { level: 'invalid', title: 'Incomplete', sentences };
  if (nothing) {
    const title = arrivalsIn(outcomes) === 0 ? 'Nothing measured' : 'Nothing succeeded';
    return { level: 'invalid', title, sentences };
  }
  const title = trustTitle[trust.level];
  return {
    level: trust.level,
    title: result.partial === null ? title : `${title}, partial`,
    sentences,
  };
};
