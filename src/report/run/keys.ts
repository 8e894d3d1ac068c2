import {
  type AdmittedPeak,
  interfaceLimits,
  type KeyLimits,
  type KeyRefusals,
  replayedDecisions,
} from '../../model/limits/run-limits.ts';
import { type LedgerEntry, toLedgerEntry } from '../../model/observation/ledger.ts';
import { type LimitsPerMinute, limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Result } from '../../model/result/result.ts';
import { countText, momentText, plural, timeText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { isViolation, type LimitCheck, type LimitFinding } from '../../model/limits/limit-log.ts';
import {
  type Block,
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
} from '../document/document.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import type { Chart } from '../html/charts/chart.ts';
import { maxChartedKeys } from '../html/charts/client-charts.ts';

/**
 * Returns what is known of a key's limit on requests or on tokens per minute: the limit in the plan (`null` without
 * one), the limits that headers reported, and the lowest and last reported remaining quota.
 */
const observedLimit = (
  entries: readonly LedgerEntry[],
  limits: LimitsPerMinute,
  unit: 'Requests' | 'Tokens',
) => {
  const name = unit === 'Requests' ? 'requestsPerMinute' : 'tokensPerMinute';
  const reported = entries.flatMap((entry) => entry[`limit${unit}`] ?? []);
  const remaining = entries.flatMap((entry) => entry[`remaining${unit}`] ?? []);
  return {
    declared: limits[name],
    isInterfaceDefault: limits[name] === interfaceLimits[name],
    reported: [...new Set(reported)].toSorted((a, b) => a - b),
    lowest: remaining.length === 0 ? null : remaining.reduce((a, b) => Math.min(a, b)),
    last: remaining.at(-1) ?? null,
  };
};
type ObservedLimit = Readonly<ReturnType<typeof observedLimit>>;

/**
 * Returns how each key was used, according to its ledger. `unrecorded` is the number of responses that no longer fit
 * into the ledger. Times are in ms since the run began.
 */
export const keyUsages = ({ ledger, plan }: Result) =>
  ledger.map(({ key, rows, left }) => {
    const limits = limitsOfKey(plan, key);
    const entries = rows.map(toLedgerEntry).filter(({ status }) => status > 0);
    const limited = entries.filter(({ status }) => status === 429);
    const first = limited.reduce((least, { answered }) => Math.min(least, answered), Infinity);
    return {
      key,
      answered: entries.length,
      limited: limited.length,
      firstLimited: limited.length === 0 ? null : first,
      requests: observedLimit(entries, limits, 'Requests'),
      tokens: observedLimit(entries, limits, 'Tokens'),
      unrecorded: left,
    };
  });
type KeyUsage = ReturnType<typeof keyUsages>[number];

/**
 * Compares the limit of the plan with the headers, in words: `600/min as declared`, `header says 100, the interface
 * 60`.
 */
export const limitText = ({ declared, isInterfaceDefault, reported }: ObservedLimit): string => {
  const headers = reported.map(countText).join(' and ');
  if (declared === null) return reported.length === 0 ? 'none known' : `${headers}/min by header`;
  const limit = countText(declared);
  if (reported.length === 0) {
    return `${limit}/min ${isInterfaceDefault ? 'by the interface' : 'declared'}, no header seen`;
  }
  return reported.length === 1 && reported[0] === declared
    ? `${headers}/min as ${isInterfaceDefault ? 'the interface says' : 'declared'}`
    : `header says ${headers}, ${isInterfaceDefault ? 'the interface' : 'declared'} ${limit}`;
};

/** Formats the reported remaining quota as `0, last 12`; a dash without headers. */
export const remainingText = ({ lowest, last }: ObservedLimit): string =>
  lowest === null || last === null
    ? '–'
    : `${countText(lowest)}${textIf(last !== lowest, `, last ${countText(last)}`)}`;

/** Formats the number of 429s and the time of the first as `412, first at 21.3 s`, or `none`. */
export const limitedText = ({ limited, firstLimited }: KeyUsage): string =>
  firstLimited === null ? 'none' : `${countText(limited)}, first at ${momentText(firstLimited)}`;

/** Returns how many responses the ledger did not record; `null` if the ledger recorded all responses. */
export const unrecordedText = ({ unrecorded }: KeyUsage): string | null =>
  unrecorded === 0
    ? null
    : `${plural(unrecorded, 'further response')} not recorded: the ledger was full`;

/** Formats bounds as `60`, `between 58 and 61` or `at least 1,000`. */
const fullestMinuteText = ({ least, most }: AdmittedPeak): string => {
  if (most === null) return `at least ${countText(least)}`;
  return least === most ? countText(least) : `between ${countText(least)} and ${countText(most)}`;
};

const countsText = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${countText(count ?? 0)}`)
    .join(', ');

const accuracyText = (accuracy: KeyRefusals['retryAfter']): string =>
  countsText(Object.fromEntries(Object.entries(accuracy).filter(([, count]) => count > 0)));

const refusalSentences = (refusals: KeyRefusals): readonly string[] => {
  const { count, first, last, units, forms, stretches, longestStretch } = refusals;
  const periods = stretches === 1 ? 'one blocked period' : plural(stretches, 'blocked period');
  const longest =
    longestStretch === null
      ? ', and nothing was admitted afterwards'
      : `, at most ${timeText(longestStretch)} long`;
  return [
    `429s: ${countText(count)}, from ${momentText(first)} to ${momentText(last)}, by named limit: ${countsText(units)}; by form: ${countsText(forms)}; ${periods}${longest}.`,
    `Retry-After: ${accuracyText(refusals.retryAfter)}. Reset time: ${accuracyText(refusals.resetTime)}.`,
  ];
};

const explanationText = (limiters: readonly string[]): string => {
  const decisions = `decisions (at most the first ${replayedDecisions})`;
  const explained =
    limiters.length === 0
      ? `No class of limiter with the declared limit explains the ${decisions}`
      : `The ${decisions} are explained by ${limiters.join(', ')}`;
  return `${explained}, assuming that nobody else used the key.`;
};

/**
 * Returns a sentence on one limit of a key: whether the limit was exceeded, whether it refused a request, or whether it
 * was never reached.
 */
export const limitSentence = (
  unit: 'requests' | 'tokens',
  declared: number | null,
  { checks, refusals, ...limits }: KeyLimits,
): string => {
  const peak = limits[unit];
  const isUnknown = unit === 'requests' && peak.least !== peak.most;
  const unknown = ' (it is unknown whether audio, model lists and failed requests count)';
  const busiest = `${fullestMinuteText(peak)} in the busiest minute${textIf(isUnknown, unknown)}`;
  if (declared === null) return `Limit of ${unit}: none declared; ${busiest}.`;
  const kept = checks.find(({ id }) => id === `${unit}-kept`);
  const named = refusals?.units[unit] ?? 0;
  const unnamed = refusals?.units.none ?? 0;
  const shown = (): string => {
    if (kept?.finding === 'refuted') return `exceeded: ${kept.observed}`;
    if (named > 0) return `429s that name it: ${countText(named)}`;
    if (unnamed > 0) return `429s that name no limit: ${countText(unnamed)}`;
    return peak.least >= declared
      ? 'nothing was refused for it'
      : 'nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept';
  };
  return `Limit of ${countText(declared)} ${unit} a minute: ${busiest}; ${shown()}.`;
};

const keyLimitSentences = (
  limits: KeyLimits,
  { requestsPerMinute, tokensPerMinute }: LimitsPerMinute,
): readonly string[] => {
  const { refusals, explainedBy } = limits;
  return present([
    limitSentence('requests', requestsPerMinute, limits),
    limitSentence('tokens', tokensPerMinute, limits),
    ...(refusals === null ? [] : refusalSentences(refusals)),
    explainedBy !== null && explanationText(explainedBy),
  ]);
};

const usageColumns: readonly Column<KeyUsage>[] = [
  column.name('Key', (usage) => ({ text: usage.key, note: unrecordedText(usage) ?? undefined })),
  column.number('Answered', ({ answered }) => countText(answered)),
  column.text('429s', limitedText),
  column.text('Request limit', ({ requests }) => limitText(requests)),
  column.text('Lowest remaining', ({ requests }) => remainingText(requests)),
  column.text('Token limit', ({ tokens }) => limitText(tokens)),
  column.text('Lowest remaining', ({ tokens }) => remainingText(tokens)),
];

/** Describes the use of a key in words, for a terminal. */
const usageBlock = (usage: KeyUsage, limits: readonly Block[]): Block => {
  const { key, answered, requests, tokens } = usage;
  const texts = list([
    `requests: ${limitText(requests)}; lowest remaining ${remainingText(requests)}`,
    `tokens: ${limitText(tokens)}; lowest remaining ${remainingText(tokens)}`,
    unrecordedText(usage),
  ]);
  const title = `${key}: ${plural(answered, 'answer')}, 429s: ${limitedText(usage)}`;
  return only(['terminal'], fold(title, [texts, ...limits]));
};

const findingTones = {
  proved: 'good',
  refuted: 'warning',
  undecided: 'quiet',
} as const satisfies Record<LimitFinding, Tone>;

const findingsMeaning =
  'A decision of the gateway is only known to fall between the sending of the request and the first byte of the answer. “Proved” and “refuted” are valid for all possible times of the decisions. Refuted claims do not necessarily violate a limit; undecided ones cannot be settled by this run.';

const limitBlocks = (
  limits: KeyLimits,
  declared: LimitsPerMinute,
  isJudged: boolean,
): readonly Block[] => {
  const { key, checks } = limits;
  const findingOf = (check: LimitCheck) =>
    isJudged && isViolation(check)
      ? ({ text: 'violated', tone: 'bad' } as const)
      : { text: check.finding, tone: findingTones[check.finding] };
  const columns: readonly Column<LimitCheck>[] = [
    column.words('Claim', ({ claim }) => claim),
    column.verdict('Finding', findingOf),
    column.words('Observed', (check) => ({
      text: check.observed,
      note: check.evidence.join(' · '),
    })),
    column.text('Source', (check) => (check.section === null ? '–' : `§ ${check.section}`)),
  ];
  const refuted = checks.filter(({ finding }) => finding === 'refuted');
  const findings = refuted.map((check) => {
    const { text: finding, tone } = findingOf(check);
    return { text: `${finding}: ${check.id}: ${check.observed}`, tone };
  });
  const claims = fold(
    'Proved and refuted claims about the limits of this key',
    [table(`Claims about ${key}`, columns, checks), text(findingsMeaning, 'quiet')],
    refuted.length > 0,
  );
  return [
    list(keyLimitSentences(limits, declared)),
    only(['terminal', 'markdown'], list(findings)),
    only(['html'], claims),
  ];
};

/** Returns whether a key has a limit in the plan or in headers, or got a 429. */
const hasLimit = ({ limited, requests, tokens }: KeyUsage): boolean =>
  limited > 0 ||
  [requests, tokens].some(
    ({ declared, reported, lowest }) => declared !== null || reported.length > 0 || lowest !== null,
  );

/** Builds the section on the limits and the remaining quota of each key, and on the run's findings about the limits. */
export const keysSection = (result: Result, charts: readonly Chart[]): Section => {
  const { limits, ledger } = result;
  const usages = keyUsages(result).map((usage) => {
    const found = limits?.keys.find(({ key }) => key === usage.key);
    return {
      usage,
      blocks: found
        ? limitBlocks(found, limitsOfKey(result.plan, usage.key), limits?.judged === true)
        : [],
    };
  });
  const caption = 'Limits and remaining quota of each key, from the response headers';
  const rows = usages.map(({ usage }) => usage);
  const left = `Charts and claims of the first ${maxChartedKeys} of ${ledger.length} keys.`;
  const made = section(
    'What did the limits do?',
    [
      only(['html', 'markdown'], table(caption, usageColumns, rows, { showsNotes: true })),
      ledger.length > maxChartedKeys && only(['html'], text(left, 'quiet')),
      picture(() => charts.map(chartFigure)),
      ...usages
        .slice(0, maxChartedKeys)
        .map(({ usage: { key }, blocks }) =>
          only(['html', 'markdown'], section(`Limits of ${key}`, blocks)),
        ),
      ...usages.map(({ usage, blocks }) => usageBlock(usage, blocks)),
    ],
    'limits',
  );
  return rows.some(hasLimit) ? made : only(['terminal', 'markdown'], made);
};
