import {
  connectionFailuresOf,
  notableConnectionFailures,
} from '../../model/result/connection-failures.ts';
import { errorBarOf } from '../../model/result/error-bar.ts';
import {
  exactnessOf,
  figuresSignalName,
  isSlightlyOff,
  judgedFigures,
} from '../../model/result/judged-figures.ts';
import { percentileName } from '../../model/measures/headline.ts';
import { measures } from '../../model/measures/measures.ts';
import {
  countArrivals,
  hasNothingSucceeded,
  sumOutcomes,
} from '../../model/measures/outcome-counts.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import {
  groupsMatching,
  outsideWarmUp,
  measuresPresent,
  missingSlices,
} from '../../model/result/summary.ts';
import type { FigureError, Trust, TrustLevel } from '../../model/result/verdict.ts';
import {
  countText,
  figureText,
  listed,
  lowerFirst,
  plural,
  shareText,
} from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { errorWords, isWithheld } from './figures.ts';
import { objectivesSentence, undecidedSentences } from './objective-text.ts';

/**
 * Says why a run has no self-test streams. Returns `null` if it has some, or if none are expected (as in results of
 * older versions).
 */
export const missingStreamsText = (result: Result): string | null => {
  const { plan } = result;
  if (plan.canary === undefined || saturateLoadOf(plan) !== null || errorBarOf(result) !== null)
    return null;
  const reason = plan.canary
    ? 'No event of the self-test streams was read'
    : 'The scenario disables the self-test streams (canary: false)';
  return `${reason}: measurement errors count from the timers of the event loop instead.`;
};

/** Says how late the self-test streams of a run were read; `null` if the run had no self-test streams. */
export const selfTestText = (result: Result): string | null => {
  const error = errorBarOf(result);
  if (error === null) return null;
  const loops = error.loops === 1 ? '' : ` in each of ${error.loops} loops`;
  const { plan, slices } = result;
  const afterFirstSecond = errorBarOf({ plan: { ...plan, warmUp: milliseconds(1000) }, slices });
  // In the first second, code is compiled and connections are opened. The text therefore also gives the p99 without the
  // first second.
  const settled =
    plan.warmUp >= 1000 || afterFirstSecond === null || afterFirstSecond.p99 > error.p99 / 2
      ? ''
      : `; p99 ${figureText(afterFirstSecond.p99)} ms after the first second`;
  const missing =
    error.missing < 0.01 ? '' : `; ${shareText(error.missing, 1)} of them are missing`;
  return `Self-test streams were read late by p50 ${figureText(error.p50)} ms, p99 ${figureText(error.p99)} ms (${error.streams} streams${loops}, ${plural(error.events, 'event')}${missing}${settled}).`;
};

/** The page with advice on a load that was not as planned, and on inexact figures. */
export const whatNowPage = 'reports/what-now.md';

export const measurementErrorMeaning =
  'By how much the load generator can have moved a figure. A time is read late, never early: by what ran in the event loop before the read and by how late the request began, both recorded for each request, and by the time until the process got a CPU, which the self-test streams show. If at most a share α of the requests was late by more than e, the true p-quantile is between the (p − α)-quantile less e and the printed one; the best of several α counts. What lies between two reads, such as a chunk gap, can be too low as well, by the same rule. These bounds hold whatever the lateness depended on. They cover this machine, not the network, and percentiles only: means, maxima, rates and counts have none.';

export const selfTestMeaning =
  'The delay between the sending of an event and its time stamp. Next to the run’s own streams, the same event loop and transport read five self-test streams (fewer if many workers share them) from a process on this machine. Each sends an event about every 50 ms, at a random moment, with the time just before its write, on the monotonic clock that all processes share. If that process is delayed itself, events are missing, and the error of that time is unknown. The delay includes this machine’s kernel and the wait for the event loop, but nothing of the target. It covers the same seconds as the figures. The run’s own reads have the same delay, plus that of TLS or another protocol.';

/** The findings of a run, and whether its load and figures can be trusted. */
export interface RunVerdict {
  /** The level of the trust in the run. Measurement errors of a few ms do not lower it, since they need no action. */
  readonly level: TrustLevel;
  /** The verdict on the objectives, followed by `load`. */
  readonly title: string;
  /** Whether the load was as planned, and how many figures are inexact. */
  readonly load: string;
  /** The objectives that the run leaves undecided, and why. */
  readonly undecided: readonly string[];
  readonly sentences: readonly string[];
  /** What speaks against the run, in whole sentences that can be read without a title. */
  readonly against: readonly string[];
}

/** The maximum number of uncertain figures that a sentence names. Further figures are only counted. */
const maxNamedFigures = 6;

const figureName = ({ traffic, measure, q }: FigureError): string =>
  `${traffic} ${measures[measure].short} ${percentileName(q)}`;

/** Formats a figure with its error, for example `chat-stream TTFT p95 238 ms (up to 14 too high)`. */
const figureWithError = (figure: FigureError): string => {
  const { unit } = measures[figure.measure];
  const error = errorWords(figure);
  return present([
    figureName(figure),
    `${figureText(figure.value, unit)} ${unit}`,
    error !== null && `(${error})`,
  ]).join(' ');
};

const listedFigures = (figures: readonly FigureError[]): string => {
  const others = figures.length - maxNamedFigures;
  const first = figures.slice(0, maxNamedFigures).map(figureWithError);
  return listed(present([...first, others > 0 && plural(others, 'other')]));
};

/** Returns how exact the headline figures are, in sentences and in a few words. */
const figuresVerdict = ({ figures, evidence }: Trust, verdicts: readonly ObjectiveVerdict[]) => {
  const areJudged = evidence.some(({ signal }) => signal === figuresSignalName);
  const judged = areJudged ? judgedFigures(figures) : [];
  const approximate = judged.filter((figure) => exactnessOf(figure) === 'approximate');
  const unknown = judged.filter((figure) => exactnessOf(figure) === 'unknown');
  const isSelection = figures.filter(({ isHeadline }) => isHeadline).length > judged.length;
  // A figure whose error is smaller than its interval counts as exact. But the same error can make an objective
  // uncertain. The report then calls no figure exact, since it would otherwise contradict itself.
  const spansBound = verdicts.some(({ grounds }) => grounds === 'within-error');
  const isExact = areJudged && !spansBound && approximate.length + unknown.length === 0;
  return {
    isSlight: unknown.length === 0 && !spansBound && approximate.every(isSlightlyOff),
    counts: present([
      approximate.length > 0 && `${plural(approximate.length, 'figure')} approximate`,
      unknown.length > 0 && `${plural(unknown.length, 'figure')} unknown`,
    ]),
    exact: isExact
      ? `All headline figures${textIf(isSelection, ' with enough samples')} are exact: the load generator moved none by more than 5 % or 1 ms, or out of its interval.`
      : null,
    others: present([
      unknown.length > 0 &&
        `Unknown, since the load generator can have moved ${unknown.length === 1 ? 'it' : 'them'} by more than half: ${listedFigures(unknown)}.`,
      approximate.length > 0 &&
        `Approximate, since the load generator can have moved ${approximate.length === 1 ? 'it' : 'them'}: ${listedFigures(approximate)}.`,
    ]),
  };
};

/** Says in a few words whether the load was as planned. */
const loadTitles = {
  valid: 'Load as planned',
  degraded: 'Load mostly as planned',
  invalid: 'Load not as planned',
} as const satisfies Record<TrustLevel, string>;

/** Returns the level of the load: the worst level among the deciding signals that are not about figures. */
const loadLevel = ({ evidence }: Trust): TrustLevel => {
  const deciding = evidence.filter(
    ({ decides, signal }) => decides && signal !== figuresSignalName,
  );
  const has = (wanted: TrustLevel): boolean => deciding.some(({ level }) => level === wanted);
  if (has('invalid')) return 'invalid';
  return has('degraded') ? 'degraded' : 'valid';
};

/** Returns the level of a run. Inexact figures lower the level only if their errors are not slight. */
const markedLevel = (isSlight: boolean, trust: Trust): TrustLevel =>
  isSlight && loadLevel(trust) === 'valid' ? 'valid' : trust.level;

/** Says which part of the load was not as planned; `null` if the whole load was as planned. */
const loadSentence = (trust: Trust): string | null => {
  const level = loadLevel(trust);
  if (level === 'valid') return null;
  const signals = trust.evidence
    .filter((each) => each.decides && each.level === level && each.signal !== figuresSignalName)
    .map(({ signal }) => signal);
  if (level === 'degraded')
    return `A part of the load was not as planned, or is not verified: ${listed(signals)}.`;
  const why = signals.includes('start lag')
    ? 'Requests began too late'
    : 'Too many requests failed in the load generator';
  return `${why}, so the figures do not count.`;
};

/** The maximum number of missing slices that a sentence names. More slices are only counted. */
const maxNamedSlices = 8;

const incompleteSentence = (result: Result, missing: readonly number[]): string => {
  const count = result.slices[0]?.count ?? 0;
  if (missing.length > maxNamedSlices) {
    return `The run is incomplete: ${missing.length} of its ${count} slices are missing.`;
  }
  const names = listed(missing.map((index) => `${index}/${count}`));
  const missed = missing.length === 1 ? `slice ${names} is` : `slices ${names} are`;
  return `The run is incomplete: ${missed} missing.`;
};

const noFiguresSentence = (result: Result, measuredArrivals: number): string => {
  if (countArrivals(sumOutcomes(result.groups)) === 0) return 'No request was due.';
  if (measuredArrivals === 0)
    return 'No request was due after the warm-up, so there are no figures.';
  return 'There are no latencies; the failures show why.';
};

/**
 * Says how many requests failed because of their connections, and what the user can do; `null` if only a few requests
 * failed in this way.
 */
const connectionSentence = (result: Result): string | null => {
  const { due, failed, byCause } = connectionFailuresOf(result);
  if (failed <= due * notableConnectionFailures) return null;
  const causes = byCause.map(({ cause, count }) => `${countText(count)} ${cause}`);
  return `${shareText(failed, due)} of the requests failed by their connections (${listed(causes)}), and the figures are those of the others: see what limits connections at the target and before it, and whether it answers with wire: {reuse: false}.`;
};

/**
 * Returns the verdict on a run. The verdict on an incomplete run says that the run is incomplete, no matter how well
 * the run can be trusted. A run without a completed request after the warm-up is never valid.
 */
export const runVerdict = (result: Result, trust: Trust): RunVerdict => {
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  const arrivals = countArrivals(outcomes);
  const missing = missingSlices(result);
  const hasNoCompletions = hasNothingSucceeded(outcomes);
  const hasGaps = measuresPresent(result, outsideWarmUp).includes('gap');
  const verdicts = result.verdicts ?? [];
  const ofFigures = figuresVerdict(trust, verdicts);
  const ofLoad = loadLevel(trust);
  const doFiguresCount = ofLoad !== 'invalid';
  const sentences = present([
    missing.length > 0 && incompleteSentence(result, missing),
    result.partial !== null && `The run stopped before its plan did: ${result.partial}.`,
    hasNoCompletions && noFiguresSentence(result, arrivals),
    loadSentence(trust),
    ...(doFiguresCount ? [ofFigures.exact, ...ofFigures.others] : []),
    connectionSentence(result),
    hasGaps &&
      isWithheld('gap', trust) &&
      'Chunk gaps are withheld, since they would look better than they were.',
    missingStreamsText(result),
  ]);
  const nothing = `Nothing succeeded${textIf(result.plan.warmUp > 0, ' after the warm-up')}`;
  const against = present([
    hasNoCompletions && arrivals > 0 && `${nothing}.`,
    ...sentences.filter((sentence) => sentence !== ofFigures.exact),
  ]);
  const said = { undecided: undecidedSentences(verdicts), sentences, against };
  const objectives = objectivesSentence(verdicts);
  const titled = (level: TrustLevel, load: string): RunVerdict => {
    const title = objectives === null ? load : `${objectives}; ${lowerFirst(load)}`;
    return { level, title, load, ...said };
  };
  if (missing.length > 0) return titled('invalid', 'Incomplete');
  const ofRun = `${loadTitles[ofLoad]}${textIf(result.partial !== null, ', partial')}`;
  if (hasNoCompletions && arrivals === 0) return titled('invalid', 'Nothing measured');
  if (hasNoCompletions) return titled('invalid', `${nothing}; ${lowerFirst(ofRun)}`);
  return titled(
    markedLevel(ofFigures.isSlight, trust),
    [ofRun, ...(doFiguresCount ? ofFigures.counts : [])].join('; '),
  );
};
