import { percentileName } from '../../model/measures/headline.ts';
import { isViolation } from '../../model/limits/limit-log.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import { figuresSignalName } from '../../model/result/judged-figures.ts';
import { limitsOfKey, sumOfLimits } from '../../model/plan/limits-per-minute.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust, TrustSignal } from '../../model/result/verdict.ts';
import {
  type Block,
  type Cell,
  column,
  type Column,
  fold,
  list,
  only,
  picture,
  section,
  type Section,
  table,
  text,
  type Tone,
  type TonedText,
  tones,
  trustTones,
} from '../document/document.ts';
import {
  goodputSentence,
  objectiveFindingText,
  objectiveIntervalText,
  type ObjectiveOutcome,
  objectiveObservedText,
  objectiveOutcome,
  objectiveReasonText,
  objectivesOutcome,
  objectivesSentence,
  sureSamples,
} from '../summary/objective-text.ts';
import { runVerdict, selfTestText, whatNowPage } from '../summary/run-verdict.ts';
import { arrivalCounts, causeText } from '../summary/outcome-text.ts';
import { markup } from '../text/markup.ts';
import { countText, lowerFirst, plural } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';

const objectiveTones = {
  kept: 'good',
  broken: 'bad',
  warning: 'warning',
  undecided: 'quiet',
} as const satisfies Record<ObjectiveOutcome, Tone>;

/** Says which declared limits were shown to be kept. A limit that refused no request was not shown to be kept. */
const keptText = ({ limits, plan }: Result): string => {
  const units = (['requests', 'tokens'] as const).filter(
    (unit) => sumOfLimits(plan, `${unit}PerMinute`) !== null,
  );
  const refusals = (limits?.keys ?? []).flatMap((key) => key.refusals ?? []);
  const isSeen = (unit: 'requests' | 'tokens'): boolean =>
    refusals.some((each) => (each.units[unit] ?? 0) + (each.units.none ?? 0) > 0);
  const [seen, unseen] = [units.filter(isSeen), units.filter((unit) => !isSeen(unit))];
  if (unseen.length === 0) return 'Limits kept';
  return seen.length === 0
    ? 'No limit violated, nothing was refused'
    : `Limit of ${seen.join('')} kept, that of ${unseen.join('')} refused nothing`;
};

/**
 * Says how much the target certainly admitted in its fullest minute. Returns `null` if this was not more than the
 * limit, or if the scenario names a limiter. A minute above the limit proves nothing, since some limiters rightly admit
 * nearly twice their limit in a minute. But it may also mean that the real limit is higher.
 */
const overfullText = ({ limits, plan }: Result): string | null => {
  if (plan.limits.limiter !== 'any') return null;
  const found = (['requests', 'tokens'] as const).flatMap((unit) => {
    const overfull = (limits?.keys ?? []).flatMap((key) => {
      const declared = limitsOfKey(plan, key.key)[`${unit}PerMinute`];
      const { least } = key[unit];
      return declared !== null && least > declared ? [{ declared, least }] : [];
    });
    const [most] = overfull.toSorted((a, b) => b.least / b.declared - a.least / a.declared);
    return most === undefined
      ? []
      : [`${countText(most.least)} ${unit} of ${countText(most.declared)}`];
  });
  return found.length === 0
    ? null
    : `one minute had ${found.join(' and ')}, which a limiter of the limit can admit (a fixed window, or charges that come with the answers), and a higher limit too`;
};

/**
 * The ids of the claims about when a limit refuses a request, and about which limit refuses it. If one of them is
 * false, a limit other than the declared one may have refused.
 */
const refusalClaims = [
  'refused-only-when-full',
  'tokens-refused-early',
  'tokens-refused-only-when-full',
  'refusal-names-limit',
];

/**
 * Describes the first refusals that are explained neither by the declared limit nor by a class of limiters; `null`
 * without such refusals. They may come from a lower limit, so the declared limit was perhaps never reached.
 */
const unexplainedText = ({ limits }: Result): string | null => {
  const found = (limits?.keys ?? []).flatMap(({ checks }) => {
    const findingOf = (id: string) => checks.find((check) => check.id === id)?.finding;
    return refusalClaims.flatMap((id) => {
      const isExplained =
        id === 'refused-only-when-full' && findingOf('limit-explained') === 'proved';
      const check = checks.find((each) => each.id === id);
      return check?.finding === 'refuted' && !isExplained ? [check.observed] : [];
    });
  });
  return found[0] ?? null;
};

/** Returns the verdict on the limits; `null` if the limits were not judged. */
export const limitsVerdict = (result: Result): TonedText | null => {
  const { limits, plan } = result;
  if (limits === undefined || !limits.judged) return null;
  const permitted = plan.limits.limiter === 'any' ? 'any limiter' : `a ${plan.limits.limiter}`;
  const deciding = limits.keys.flatMap(({ key, checks }) =>
    checks.filter(({ violates }) => violates).map((check) => ({ key, check })),
  );
  const broken = deciding.filter(({ check }) => isViolation(check));
  if (broken.length > 0) {
    const named = broken.map(({ key, check }) => `${key}: ${check.id}`).join(', ');
    return { tone: 'bad', text: `Limits violated (${permitted} permitted): ${named}.` };
  }
  if (limits.keys.length === 0) {
    const reason = 'nothing was sent, or slices are missing or have no common clock';
    return { tone: 'warning', text: `Limits undecided: ${reason}.` };
  }
  const proved = deciding.filter(({ check }) => check.finding === 'proved').length;
  const claims = `${countText(proved)} of ${plural(deciding.length, 'claim')} proved, none refuted (${permitted} permitted)`;
  const overfull = overfullText(result);
  if (overfull !== null)
    return { tone: 'warning', text: `No limit violated, but ${overfull}: ${claims}.` };
  const unexplained = unexplainedText(result);
  if (unexplained !== null)
    return { tone: 'warning', text: `No limit violated, but ${unexplained}.` };
  return proved === deciding.length
    ? { tone: 'good', text: `${keptText(result)}: ${claims}.` }
    : { tone: 'warning', text: `No limit violated, some undecided: ${claims}.` };
};

/**
 * Returns the level of a signal. A signal that decides nothing has the level `normal` or `high`, since it only shows
 * causes.
 */
const signalLevel = ({ decides, level }: TrustSignal): Cell => {
  if (decides) return { text: level, tone: trustTones[level] };
  return level === 'valid' ? { text: 'normal', tone: 'good' } : { text: 'high', tone: 'warning' };
};

const evidenceColumns: readonly Column<TrustSignal>[] = [
  column.name('Signal', ({ signal }) => signal),
  column.verdict('Level', signalLevel),
  column.words('Observed', ({ observed }) => observed),
  column.words('Healthy', ({ expected }) => expected),
  column.words('What to do', ({ advice }) => advice ?? '–'),
];

/** Returns the deciding signals of the load that are not healthy, beginning with the most serious signal. */
const loadSignals = ({ evidence }: Trust): readonly TrustSignal[] =>
  evidence
    .filter(
      ({ level, decides, signal }) => level !== 'valid' && decides && signal !== figuresSignalName,
    )
    .toSorted((a, b) => Number(b.level === 'invalid') - Number(a.level === 'invalid'));

/**
 * Lists why a run is not valid: the deciding signals of the load, advice for inexact figures, and possible causes. The
 * list does not name the inexact figures, since the sentences of the verdict do.
 */
const findingsList = (trust: Trust): Block => {
  const unhealthy = trust.evidence.filter(({ level }) => level !== 'valid');
  const deciding = unhealthy.filter(({ decides }) => decides);
  const isInvalid = deciding.some(({ level }) => level === 'invalid');
  const ofLoad = loadSignals(trust).map(({ level, signal, observed, expected, advice }) => ({
    text: `${level}: ${signal}, ${observed} (healthy: ${expected}). ${advice ?? ''}`.trim(),
    tone: trustTones[level],
  }));
  const ofFigures = deciding.flatMap(({ signal, advice, level }) =>
    signal !== figuresSignalName || advice === null || isInvalid
      ? []
      : { text: `For exact figures: ${lowerFirst(advice)}`, tone: trustTones[level] },
  );
  const causes = unhealthy
    .filter(({ decides }) => !decides)
    .map(({ signal, observed }) => `${signal} (${observed.split(/[,;] | \(/, 1)[0]})`);
  return list([
    ...ofLoad,
    ...ofFigures,
    causes.length > 0 && `Possible causes: ${causes.join(', ')}.`,
  ]);
};

/**
 * Lists all signals of the load generator, beginning with the deciding signals. The list is open if the run is not
 * valid.
 */
export const evidenceFold = (result: Result, { level, evidence }: Trust): Block => {
  const ordered = evidence.toSorted((a, b) => Number(b.decides) - Number(a.decides));
  const signals = table('Signals of the load generator', evidenceColumns, ordered, {
    look: 'evidence',
  });
  const title = `Evidence: ${plural(evidence.length, 'signal')} of the load generator`;
  const explanation =
    'Signals that read valid, degraded or invalid decide the verdict. Those that read normal or high decide nothing: they are possible causes.';
  const aside = present([evidence.length > 0 && explanation, selfTestText(result)]).join(' ');
  return only(['html'], fold(title, [signals, text(aside, 'quiet')], level !== 'valid'));
};

const reasonText = (failure: Result['failures'][number]): string =>
  `${failure.outcome}, ${causeText(failure)}`;

const countIn = (failures: Result['failures']): number =>
  failures.reduce((sum, { count }) => sum + count, 0);

/** Returns the failures with the most frequent reason, over all kinds of traffic; none if nothing failed. */
const mostAlike = (failures: Result['failures']): Result['failures'] =>
  [...Map.groupBy(failures, reasonText).values()].toSorted((a, b) => countIn(b) - countIn(a))[0] ??
  [];

/**
 * Says how many samples an objective needs for a sure verdict. This number is often higher than the objective's own
 * minimum.
 */
const neededText = (verdict: ObjectiveVerdict): string => {
  const { n, effective, statistic } = verdict;
  const independent = effective ?? n ?? 0;
  const enough = sureSamples(statistic);
  if (typeof statistic !== 'number' || n === null || n === 0 || independent >= enough)
    return 'weir plan says how many samples each objective needs';
  const fewer = textIf(
    independent < n,
    `, which count as at most ${countText(independent)} independent ones`,
  );
  return `${verdict.text} has ${plural(n, 'sample')}${fewer}, and a sure ${percentileName(statistic)} needs some ${countText(enough)}`;
};

/** Returns the first thing that the user should do: about the load or else about an objective; empty without advice. */
const firstStep = ({ verdicts = [], failures }: Result, trust: Trust): string => {
  const ofLoad = loadSignals(trust).find(({ advice }) => advice !== null);
  if (ofLoad !== undefined)
    return `${ofLoad.signal}: ${lowerFirst(ofLoad.advice ?? '').replace(/\.$/, '')}; `;
  const isBroken = verdicts.some((verdict) => objectiveOutcome(verdict) === 'broken');
  if (isBroken && mostAlike(failures)[0]?.outcome === 'limited')
    return 'the key is at its limit: lower the rate, or let requests wait with --set pace={}; ';
  const short = verdicts.find(({ grounds, sure }) => grounds === 'no-data' || sure === false);
  if (short?.failed !== undefined)
    return 'mend what fails first: each failure counts as infinitely slow; ';
  return short === undefined ? '' : `a longer run decides more: ${neededText(short)}; `;
};

/** Says which problems the load or a figure has, and what the user can do. */
const whatNow = (result: Result, trust: Trust): readonly Block[] => [
  only(['terminal', 'markdown'], findingsList(trust)),
  only(['terminal', 'markdown'], text(`What now: ${whatNowPage}.`)),
  picture(
    () =>
      markup`<p>What now: ${firstStep(result, trust)}see <a href="#trust">the evidence</a>, and <code>${whatNowPage}</code> of Weir for all remedies.</p>`,
  ),
];

/** The maximum number of objectives that are named. Further objectives are only counted. */
const maxNamedObjectives = 5;

export const objectiveLine = (verdict: ObjectiveVerdict): TonedText => {
  const tone = objectiveTones[objectiveOutcome(verdict)];
  return { text: `${tones[tone].glyph} ${verdict.text}: ${objectiveFindingText(verdict)}`, tone };
};

/**
 * Names the objectives that are not kept, in HTML only. In other media, the section on objectives directly follows the
 * verdict.
 */
const openObjectives = (result: Result): readonly Block[] => {
  const open = (result.verdicts ?? []).filter((verdict) => objectiveOutcome(verdict) !== 'kept');
  const others = open.length - maxNamedObjectives;
  const named = open.slice(0, maxNamedObjectives).map((verdict) => {
    const line = objectiveLine(verdict);
    return text(line.text, line.tone);
  });
  const rest = others > 0 ? [text(`And ${plural(others, 'other objective')}.`)] : [];
  return [...named, ...rest].map((block) => only(['html'], block));
};

/**
 * Says how many requests failed, and the most frequent reason. Returns `null` if no request failed, or if the
 * objectives are kept in spite of the failures.
 */
export const failedText = ({ failures, verdicts = [], groups }: Result): string | null => {
  const alike = mostAlike(failures);
  const areKept = objectivesOutcome(verdicts) === 'kept';
  if (alike[0] === undefined || areKept) return null;
  const { due, cancelled } = arrivalCounts(groups);
  const [all, count] = [countIn(failures), countIn(alike)];
  const share = `${countText(all)} of ${plural(due - cancelled, 'request')} failed`;
  const how = count === all ? '' : `, ${countText(count)} of them alike`;
  const kinds = [...new Set(alike.map(({ traffic }) => traffic))];
  return `${share}${how}: ${kinds.length === 1 ? `${kinds[0]} ` : ''}${reasonText(alike[0])}.`;
};

/**
 * Names the most frequent failure, so that a reader of the first screen knows why requests failed. Only HTML needs this
 * line, since the list of failures is near in other media.
 */
const failedLine = (result: Result): readonly Block[] => {
  const words = failedText(result);
  if (words === null) return [];
  return [picture(() => markup`<p>${words} <a href="#failures">What failed?</a></p>`)];
};

/** Returns whether a reader needs advice: the run is not valid, or an objective is undecided or lacks data. */
export const needsAdvice = ({ verdicts = [] }: Result, { level }: Trust): boolean =>
  level !== 'valid' ||
  verdicts.some(
    (verdict) => verdict.grounds === 'no-data' || objectiveOutcome(verdict) === 'undecided',
  );

/**
 * Returns the blocks after the verdict on a run: whether the figures can be trusted, objectives, failures, limits,
 * notes and advice.
 */
export const runIntroduction = (result: Result, trust: Trust): readonly Block[] => {
  const limits = limitsVerdict(result);
  const { undecided, sentences } = runVerdict(result, trust);
  const advice = needsAdvice(result, trust) ? whatNow(result, trust) : [];
  const isUnplanned = trust.level === 'invalid';
  // The advice of `firstStep` must come before remarks on single figures.
  const isFirst = !isUnplanned && firstStep(result, trust) !== '';
  return [
    ...openObjectives(result),
    ...(isUnplanned ? [] : failedLine(result)),
    ...advice.filter(({ kind }) => kind === 'picture' && isFirst),
    ...[...undecided, ...sentences].map((sentence) => text(sentence)),
    ...(isUnplanned ? failedLine(result) : []),
    ...(limits === null ? [] : [text(limits.text, limits.tone)]),
    list(result.notes),
    ...advice.filter(({ kind }) => kind !== 'picture' || !isFirst),
  ];
};

const gravestTone = (result: Result, trust: Trust): Tone => {
  const { level } = runVerdict(result, trust);
  const outcome = objectivesOutcome(result.verdicts ?? []) ?? 'kept';
  const isBroken = outcome === 'broken' || limitsVerdict(result)?.tone === 'bad';
  if (level === 'invalid' || isBroken) return 'bad';
  return level === 'valid' && outcome === 'kept' ? 'good' : 'warning';
};

/** Returns the tone of a report's verdict: `plain` and not `good` if requests failed and there are no objectives. */
export const verdictTone = (result: Result, trust: Trust): Tone => {
  const tone = gravestTone(result, trust);
  const isUnjudged = (result.verdicts ?? []).length === 0 && result.failures.length > 0;
  return tone === 'good' && isUnjudged ? 'plain' : tone;
};

const verdictCell = (verdict: ObjectiveVerdict): Cell => {
  const outcome = objectiveOutcome(verdict);
  const isStarved = verdict.grounds === 'no-data' && outcome === 'broken';
  return { text: isStarved ? 'too little data' : outcome, tone: objectiveTones[outcome] };
};

/**
 * Returns the reason for a verdict. The text leaves out the verdict, since the table shows the verdict in another
 * column.
 */
const remarkOf = (verdict: ObjectiveVerdict): string =>
  (objectiveReasonText(verdict) ?? '').replace(`${verdictCell(verdict).text}: `, '');

const objectiveColumns: readonly Column<ObjectiveVerdict>[] = [
  column.name('Objective', ({ text: words }) => words),
  column.verdict('Verdict', verdictCell),
  column.number('Observed', objectiveObservedText),
  column.number('95 % interval', (verdict) => objectiveIntervalText(verdict) ?? '–'),
  column.number('n', ({ n }) => (n === null ? '–' : countText(n))),
  column.words('Remark', remarkOf),
];

const decisionText =
  'The observed value decides, unless its measurement error spans the bound: then the objective is undecided. The interval is the uncertainty of that value in this run alone (percentiles: order statistics; shares: Wilson). How much runs differ is a matter for a comparison. An objective without enough samples has no data and is not kept.';

export const objectivesSection = (result: Result): Section => {
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesOutcome(verdicts);
  return section('Objectives', [
    outcome !== null && text(`${objectivesSentence(verdicts)}.`, objectiveTones[outcome]),
    table('Objectives of the run', objectiveColumns, verdicts),
    text(goodputSentence(result)),
    outcome !== null && only(['html'], text(decisionText, 'quiet')),
  ]);
};
