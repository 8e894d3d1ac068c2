import { isInfinite, type ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import { defaultMinSamples } from '../../model/plan/objective.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumAwaited } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import {
  countText,
  factorText,
  figureText,
  listed,
  moneyText,
  plural,
  shareText,
} from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { sumOf } from '../../model/sums.ts';

/** The outcomes of an objective, from worst to best. A broken objective of severity `warn` is a `warning`. */
const objectiveOutcomes = ['broken', 'undecided', 'warning', 'kept'] as const;
export type ObjectiveOutcome = (typeof objectiveOutcomes)[number];

export const objectiveOutcome = ({ ruling, severity }: ObjectiveVerdict): ObjectiveOutcome => {
  if (ruling === 'pass') return 'kept';
  if (ruling === 'inconclusive') return 'undecided';
  return severity === 'warn' ? 'warning' : 'broken';
};

/** The units that are not simply written after the number. */
const unitNotations: Readonly<Record<string, (value: number) => string>> = {
  'ms/s': factorText,
  µ: (value) => moneyText(Math.round(value)),
  bytes: (value) => (value >= 10_000 ? figureText(value, 'bytes') : `${countText(value)} bytes`),
  '': (value) => plural(value, 'arrival'),
  '/s': (value) => `${figureText(value)}/s`,
  number: (value) => figureText(value),
};

const valueText = (value: number, unit: string): string =>
  unitNotations[unit]?.(value) ?? `${figureText(value, unit)} ${unit}`;

export const objectiveObservedText = (verdict: ObjectiveVerdict): string => {
  const { observed, unit, weak } = verdict;
  if (observed !== null) return `${textIf(weak === true, '~')}${valueText(observed, unit)}`;
  return isInfinite(verdict) ? '∞' : '–';
};

/** Formats the confidence interval; `null` without an interval. */
export const objectiveIntervalText = ({ low, high, unit }: ObjectiveVerdict): string | null => {
  if (low === null && high === null) return null;
  const text = (bound: number | null): string => (bound === null ? '…' : valueText(bound, unit));
  return `${text(low)} to ${text(high)}`;
};

/** Returns how many samples a percentile needs to be sure; 0 for any other statistic. */
export const sureSamples = (statistic: ObjectiveVerdict['statistic']): number =>
  typeof statistic === 'number' ? defaultMinSamples(statistic) : 0;

/**
 * Says how many samples a percentile needs to be sure. Returns an empty text if the objective itself requires at least
 * this number of samples.
 */
const sureText = (statistic: ObjectiveVerdict['statistic'], minSamples: number): string => {
  const enough = sureSamples(statistic);
  return textIf(enough > minSamples, `, some ${countText(enough)} to be sure`);
};

const noDataText = ({ text, n, minSamples, unit, statistic }: ObjectiveVerdict): string => {
  if (text.startsWith('server.') && n === 0)
    return 'no data: too few readings of the server have this figure';
  if (n === null) return 'no data: nothing was reported, or no whole second was measured';
  const what = text.startsWith('cacheHits') ? 'answer' : unit === '%' ? 'arrival' : 'sample';
  return n === 0
    ? `no data: no ${what}s`
    : `too little data: ${plural(n, what)}, at least ${countText(minSamples)} needed${sureText(statistic, minSamples)}`;
};

/**
 * Says that the load generator may have moved the figure across the bound. Also says by how much if the amount is
 * known.
 */
const withinErrorText = ({ observed, error, unit }: ObjectiveVerdict): string => {
  if (observed === null || error === undefined)
    return 'undecided: the measurement error spans the bound';
  const { low, high } = error;
  return high === null
    ? 'undecided: the measurement error, which is unbounded, spans the bound'
    : `undecided: the measurement error of up to ${valueText(Math.max(observed - low, high - observed), unit)} spans the bound`;
};

/**
 * Says how many answers do not report the figure, and the bounds of the figure over all answers. Returns `null` if all
 * answers report the figure.
 */
const unreportedText = ({
  n,
  error,
  unit,
  unreported,
  grounds,
}: ObjectiveVerdict): string | null => {
  if (unreported === undefined || n === null) return null;
  const { low = 0, high } = error ?? {};
  const range = `${valueText(low, unit)} to ${valueText(high ?? 100, unit)}`;
  const silent = `${countText(unreported)} of ${plural(n + unreported, 'answer')}`;
  const doubt = grounds === 'unreported' ? 'undecided: ' : '';
  return `${doubt}${silent} did not report it, ${range} with them`;
};

const reasons = {
  unreported: null,
  aborted: 'the run was stopped because of it',
  unfit: 'undecided: the load was not as planned',
  incomplete: 'undecided: a slice of the run is missing',
  partial: 'undecided: the run was stopped before the end of its plan',
  'never-given': 'no data: the server never gave this figure',
  unsure: null,
  kept: null,
  broken: null,
} as const satisfies Record<
  Exclude<ObjectiveVerdict['grounds'], 'no-data' | 'within-error'>,
  string | null
>;

/** Says why a verdict is not sure. */
const unsureText = (verdict: ObjectiveVerdict): string => {
  const { statistic, n, effective, minSamples, weak, failed } = verdict;
  if (weak)
    return 'not sure: too few independent answers for a mean of such times; bound a percentile';
  if (failed !== undefined && n !== null)
    return `not sure: ${countText(failed)} of ${countText(n)} failed, and each counts as infinitely slow`;
  if (n === null || effective === undefined || effective >= minSamples) {
    return statistic === 'mean'
      ? 'not sure: the bound is near, or rarer answers, up to their deadline, can move the mean there'
      : 'not sure: the bound is near, or the run is short';
  }
  return `not sure: ${countText(n)} requests that depend on each other count as at most ${countText(effective)} independent ones`;
};

/** Says why a percentile is infinite; `null` for any other figure. */
const infiniteText = (verdict: ObjectiveVerdict): string | null => {
  if (!isInfinite(verdict)) return null;
  const { statistic } = verdict;
  return typeof statistic === 'number'
    ? `fewer than ${Number((statistic * 100).toPrecision(12))} % completed`
    : 'too few completed';
};

/** Says how many 429s were left out; `null` for an objective that counts all 429s. */
const excludedText = ({ excluded }: ObjectiveVerdict): string | null => {
  if (excluded === undefined) return null;
  return excluded === null
    ? 'all 429s count, since it is unknown which of them a limit explains'
    : `without ${plural(excluded, '429')} that the declared limits explain`;
};

/** Returns the reason for the outcome; `null` if the observed value explains the outcome. */
export const objectiveReasonText = (verdict: ObjectiveVerdict): string | null => {
  if (verdict.grounds === 'no-data') return noDataText(verdict);
  if (verdict.grounds === 'within-error') return withinErrorText(verdict);
  const unsure =
    verdict.grounds === 'unsure' && verdict.sure === null
      ? 'not sure: the run is too short for an interval'
      : verdict.sure === false
        ? unsureText(verdict)
        : null;
  const why = present([
    infiniteText(verdict),
    excludedText(verdict),
    unreportedText(verdict),
    reasons[verdict.grounds] ?? unsure,
  ]);
  return why.length === 0 ? null : why.join('; ');
};

/** Formats the whole finding on an objective in one line, without the text of the objective. */
export const objectiveFindingText = (verdict: ObjectiveVerdict): string => {
  if (verdict.grounds === 'no-data') return noDataText(verdict);
  if (verdict.grounds === 'never-given') return reasons[verdict.grounds];
  const bounds = objectiveIntervalText(verdict);
  const n = verdict.n === null ? '' : `, n ${countText(verdict.n)}`;
  const seen = `${objectiveObservedText(verdict)}${bounds === null ? '' : ` (95 %: ${bounds})`}${n}`;
  return present([seen, objectiveReasonText(verdict)]).join('; ');
};

/**
 * Why a run leaves an objective undecided, by the grounds of the objective's verdict. Some grounds are absent: if the
 * whole run does not count or ended early, another sentence says this.
 */
const openReasons = {
  'within-error':
    'the load generator can have moved what it measured across the bound; run again on a quieter machine',
  'never-given': 'the server never gave the figure',
  unreported: 'some answers do not report the figure, and it can be on either side of the bound',
  unsure: 'the figure can be on either side of the bound; run longer',
} as const satisfies Partial<Record<ObjectiveVerdict['grounds'], string>>;

/**
 * Says which objectives a run leaves undecided, and why. Each reason has one sentence, which names at most `most`
 * objectives and counts the others.
 */
export const undecidedSentences = (
  verdicts: readonly ObjectiveVerdict[],
  most = 3,
): readonly string[] =>
  (Object.keys(openReasons) as readonly (keyof typeof openReasons)[]).flatMap((reason) => {
    const texts = verdicts
      .filter((each) => each.grounds === reason && objectiveOutcome(each) === 'undecided')
      .map(({ text }) => text);
    if (texts.length === 0) return [];
    const others = texts.length - most;
    const named = present([
      ...texts.slice(0, most),
      others > 0 && plural(others, most === 0 ? 'objective' : 'other'),
    ]);
    return [`This run decides nothing about ${listed(named)}: ${openReasons[reason]}.`];
  });

/**
 * Formats the numbers of objectives by outcome: `2 of 3 objectives kept (1 not sure), 1 broken`; `null` for a run
 * without objectives.
 */
export const objectivesSentence = (verdicts: readonly ObjectiveVerdict[]): string | null => {
  if (verdicts.length === 0) return null;
  const count = (outcome: ObjectiveOutcome): number =>
    verdicts.filter((verdict) => objectiveOutcome(verdict) === outcome).length;
  const starved = verdicts.filter(
    (verdict) => verdict.grounds === 'no-data' && objectiveOutcome(verdict) === 'broken',
  ).length;
  const broken = count('broken') - starved;
  const unsure = verdicts.filter(
    (verdict) => objectiveOutcome(verdict) === 'kept' && verdict.sure === false,
  ).length;
  return present([
    `${countText(count('kept'))} of ${plural(verdicts.length, 'objective')} kept${textIf(unsure > 0, ` (${countText(unsure)} not sure)`)}`,
    broken > 0 && `${countText(broken)} broken`,
    starved > 0 && `${countText(starved)} with too little data`,
    count('warning') > 0 && `${countText(count('warning'))} broken as warnings`,
    count('undecided') > 0 && `${countText(count('undecided'))} undecided`,
  ]).join(', ');
};

/** Returns the worst outcome of all objectives; `null` without objectives. */
export const objectivesOutcome = (
  verdicts: readonly ObjectiveVerdict[],
): ObjectiveOutcome | null => {
  const outcomes = verdicts.map(objectiveOutcome);
  return objectiveOutcomes.find((outcome) => outcomes.includes(outcome)) ?? null;
};

/**
 * Says how many requests met all per-request objectives, and how many requests met each objective; `null` without
 * per-request objectives.
 */
export const goodputSentence = (result: Result): string | null => {
  const { perRequest } = result.plan;
  const explained = result.limits?.explained ?? 0;
  if (perRequest.length === 0) return null;
  const groups = groupsMatching(result, outsideWarmUp);
  const due = countArrivals(sumAwaited(groups));
  const good = sumOf(groups, (group) => group.good?.all ?? 0);
  const each = perRequest.map(({ text }, i) => {
    const kept = sumOf(groups, (group) => group.good?.each[i] ?? 0);
    return `${text} ${shareText(kept, due)}`;
  });
  const objectives = each.length === 1 ? perRequest[0]!.text : `all of: ${each.join(', ')}`;
  return present([
    `Goodput: ${shareText(good, due)}. ${countText(good)} of ${plural(due, 'arrival')} due kept ${objectives}.`,
    explained > 0 &&
      `Quota-normalised: ${shareText(good, due - explained)}, leaving out ${explained === 1 ? 'one 429' : `${countText(explained)} 429s`} that the declared limits explain.`,
  ]).join(' ');
};
