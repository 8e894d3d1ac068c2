import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import {
  groupsMatching,
  outsideWarmUp,
  measuresPresent,
  missingSlices,
} from '../../model/result/summary.ts';
import type { Trust, TrustLevel } from '../../model/result/verdict.ts';
import { measurementErrorText } from './measurement-error-text.ts';

/** Whether the figures can be trusted, and how the run ended. */
export interface RunVerdict {
  readonly level: TrustLevel;
  readonly title: string;
  readonly sentences: readonly string[];
}

const trustSentence = {
  valid:
    'The load generator kept its schedule: the figures describe the gateway, not the load generator.',
  degraded: 'The load generator was overloaded: read the figures together with the evidence.',
  invalid:
    'The load generator could not keep its schedule: the figures describe it rather than the gateway.',
} as const satisfies Record<TrustLevel, string>;

const trustTitle = {
  valid: 'Valid',
  degraded: 'Degraded',
  invalid: 'Invalid',
} as const satisfies Record<TrustLevel, string>;

/** More slices than these are counted, not named. */
const maxNamedSlices = 8;

const incompleteSentence = (result: Result): string => {
  const missing = missingSlices(result);
  const count = result.slices[0]?.count ?? 0;
  const names = missing.map((index) => `${index}/${count}`);
  if (names.length === 1) return `The run is incomplete: slice ${names.join('')} is missing.`;
  return names.length > maxNamedSlices
    ? `The run is incomplete: ${names.length} of its ${count} slices are missing.`
    : `The run is incomplete: slices ${names.slice(0, -1).join(', ')} and ${names.at(-1)} are missing.`;
};

/** Why there are no figures. */
const noFiguresSentence = (result: Result): string => {
  if (countArrivals(sumOutcomes(result.groups)) === 0) return 'No request was due.';
  if (countArrivals(sumOutcomes(groupsMatching(result, outsideWarmUp))) === 0) {
    return 'No request was due after the warm-up, so there are no figures.';
  }
  const which = result.plan.warmUp > 0 ? 'request that was due after the warm-up' : 'request';
  return `No ${which} succeeded, so there are no latencies; the failures below show why.`;
};

/** Incomplete takes precedence over trust, and a run in which nothing succeeded after the warm-up is never valid. */
export const runVerdict = (result: Result, trust: Trust): RunVerdict => {
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  const isIncomplete = missingSlices(result).length > 0;
  const hasNoCompletions = outcomes.completed === 0;
  const withheld =
    trust.level === 'invalid' && measuresPresent(result, outsideWarmUp).includes('gap');
  const sentences = [
    ...(isIncomplete ? [incompleteSentence(result)] : []),
    ...(result.partial === null ? [] : [`The run stopped before its plan did: ${result.partial}.`]),
    ...(hasNoCompletions ? [noFiguresSentence(result)] : []),
    `${trustSentence[trust.level]}${withheld ? ' Chunk gaps are withheld.' : ''}`,
    ...[measurementErrorText(result)].flatMap((text) => text ?? []),
  ];
  if (isIncomplete) return { level: 'invalid', title: 'Incomplete', sentences };
  if (hasNoCompletions) {
    const title = countArrivals(outcomes) === 0 ? 'Nothing measured' : 'Nothing succeeded';
    return { level: 'invalid', title, sentences };
  }
  const title = trustTitle[trust.level];
  return {
    level: trust.level,
    title: result.partial === null ? title : `${title}, partial`,
    sentences,
  };
};
