import { errorBarOf } from '../../model/result/error-bar.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { hasChatStreams } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import {
  groupsMatching,
  outsideWarmUp,
  measuresPresent,
  missingSlices,
} from '../../model/result/summary.ts';
import type { Trust, TrustLevel } from '../../model/result/verdict.ts';
import { figureText, listed, plural, shareText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';

/** Why a run that should have a measurement error has none; `null` if none is expected, as in old results. */
const missingErrorReason = ({ plan }: Result): string | null => {
  if (plan.canary === undefined || !hasChatStreams(plan)) return null;
  return plan.canary
    ? 'Measurement error unknown: no event of the self-test streams was read.'
    : 'Measurement error unknown: the scenario disables the self-test streams (canary: false).';
};

/** The measurement error of a run by its own canary, as a sentence. */
export const measurementErrorText = (result: Result): string | null => {
  const error = errorBarOf(result);
  if (error === null) return missingErrorReason(result);
  const loops = error.loops === 1 ? '' : ` in each of ${error.loops} loops`;
  const { plan, slices } = result;
  const afterFirstSecond = errorBarOf({ plan: { ...plan, warmUp: milliseconds(1000) }, slices });
  // In the first second code is compiled and connections are opened, so trust does not judge it.
  const settled =
    plan.warmUp >= 1000 || afterFirstSecond === null || afterFirstSecond.p99 > error.p99 / 2
      ? ''
      : `; p99 ${figureText(afterFirstSecond.p99)} ms after the first second`;
  const missing =
    error.missing < 0.01 ? '' : `; ${shareText(error.missing, 1)} of them are missing`;
  return `Measurement error: p50 ${figureText(error.p50)} ms, p99 ${figureText(error.p99)} ms (${error.streams} self-test streams${loops}, ${plural(error.events, 'event')}${missing}${settled}).`;
};

export const measurementErrorMeaning =
  'The delay between the sending of an event and its time stamp. Next to the run’s own streams, the same event loop and transport read 20 self-test streams (fewer if many workers share them) from a process on this machine. Each sends an event every 50 ms with the time just before its write, on the monotonic clock that all processes share. If that process is delayed itself, events are missing, and the error of that time is unknown. The delay includes this machine’s kernel and the wait for the event loop, but nothing of the target. It covers the same seconds as the figures. The run’s own reads have the same delay, plus that of TLS or another protocol.';

/** Whether the figures can be trusted, and how the run ended. */
export interface RunVerdict {
  readonly level: TrustLevel;
  readonly title: string;
  readonly sentences: readonly string[];
}

const trustTitles = { valid: 'Valid', degraded: 'Degraded', invalid: 'Invalid' } as const;
const trustSentences = {
  valid:
    'The load generator kept its schedule: the figures describe the gateway, not the load generator.',
  degraded: 'The load generator was overloaded: read the figures together with the evidence.',
  invalid:
    'The load generator could not keep its schedule: the figures describe it rather than the gateway.',
} as const satisfies Record<TrustLevel, string>;

/** More slices than these are counted, not named. */
const maxNamedSlices = 8;

const incompleteSentence = (result: Result, missing: readonly number[]): string => {
  const count = result.slices[0]?.count ?? 0;
  if (missing.length > maxNamedSlices) {
    return `The run is incomplete: ${missing.length} of its ${count} slices are missing.`;
  }
  const names = listed(missing.map((index) => `${index}/${count}`));
  return missing.length === 1
    ? `The run is incomplete: slice ${names} is missing.`
    : `The run is incomplete: slices ${names} are missing.`;
};

const noFiguresSentence = (result: Result, measuredArrivals: number): string => {
  if (countArrivals(sumOutcomes(result.groups)) === 0) return 'No request was due.';
  if (measuredArrivals === 0) {
    return 'No request was due after the warm-up, so there are no figures.';
  }
  const which = result.plan.warmUp > 0 ? 'request that was due after the warm-up' : 'request';
  return `No ${which} succeeded, so there are no latencies; the failures below show why.`;
};

/** Incomplete takes precedence over trust, and a run in which nothing succeeded after the warm-up is never valid. */
export const runVerdict = (result: Result, trust: Trust): RunVerdict => {
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  const arrivals = countArrivals(outcomes);
  const missing = missingSlices(result);
  const hasNoCompletions = outcomes.completed === 0;
  const isWithheld =
    trust.level === 'invalid' && measuresPresent(result, outsideWarmUp).includes('gap');
  const sentences = present([
    missing.length > 0 && incompleteSentence(result, missing),
    result.partial !== null && `The run stopped before its plan did: ${result.partial}.`,
    hasNoCompletions && noFiguresSentence(result, arrivals),
    `${trustSentences[trust.level]}${textIf(isWithheld, ' Chunk gaps are withheld.')}`,
    measurementErrorText(result),
  ]);
  if (missing.length > 0) return { level: 'invalid', title: 'Incomplete', sentences };
  if (hasNoCompletions) {
    const found = arrivals === 0 ? 'Nothing measured' : 'Nothing succeeded';
    return { level: 'invalid', title: found, sentences };
  }
  const partial = textIf(result.partial !== null, ', partial');
  return { level: trust.level, title: `${trustTitles[trust.level]}${partial}`, sentences };
};
