import { isViolation, type LimitCheck, type LimitFinding } from '../../model/limits/limit-log.ts';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import type { Result } from '../../model/result/result.ts';
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
import { maxChartedKeys } from '../html/charts/key-charts.ts';
import { countText, plural } from '../text/number-text.ts';
import {
  keyLimitSentences,
  type KeyUsage,
  keyUsages,
  limitedText,
  limitText,
  remainingText,
  unrecordedText,
} from './key-usage.ts';

const usageColumns: readonly Column<KeyUsage>[] = [
  column.name('Key', (usage) => ({ text: usage.key, note: unrecordedText(usage) ?? undefined })),
  column.number('Answered', ({ answered }) => countText(answered)),
  column.text('429s', limitedText),
  column.text('Request limit', ({ requests }) => limitText(requests)),
  column.text('Lowest remaining', ({ requests }) => remainingText(requests)),
  column.text('Token limit', ({ tokens }) => limitText(tokens)),
  column.text('Lowest remaining', ({ tokens }) => remainingText(tokens)),
];

/** The usage of a key in words, for a terminal. */
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
  { key, checks, ...limits }: KeyLimits,
  isJudged: boolean,
): readonly Block[] => {
  const findingOf = (check: LimitCheck): { readonly text: string; readonly tone: Tone } =>
    isJudged && isViolation(check)
      ? { text: 'violated', tone: 'bad' }
      : { text: check.finding, tone: findingTones[check.finding] };
  const columns: readonly Column<LimitCheck>[] = [
    column.words('Claim', ({ claim }) => claim),
    column.verdict('Finding', findingOf),
    column.words('Observed', ({ observed, evidence }) => ({
      text: observed,
      note: evidence.join(' · '),
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
    list(keyLimitSentences({ key, checks, ...limits })),
    only(['terminal', 'markdown'], list(findings)),
    only(['html'], claims),
  ];
};

/** The limits and the remaining quota of each key, and what the run proves about them. */
export const keysSection = (result: Result, charts: readonly Chart[]): Section => {
  const { limits, ledger } = result;
  const usages = keyUsages(result).map((usage) => {
    const found = limits?.keys.find(({ key }) => key === usage.key);
    return { usage, blocks: found ? limitBlocks(found, limits?.judged === true) : [] };
  });
  const caption = 'Limits and remaining quota of each key, from the response headers';
  const rows = usages.map(({ usage }) => usage);
  const left = `Charts and claims of the first ${maxChartedKeys} of ${ledger.length} keys.`;
  return section(
    'What did the limits do?',
    [
      only(['html', 'markdown'], table(caption, usageColumns, rows, { showsNotes: true })),
      ledger.length > maxChartedKeys && only(['html'], text(left, 'quiet')),
      picture(() => charts.map(chartFigure)),
      ...usages
        .slice(0, maxChartedKeys)
        .map(({ usage, blocks }) =>
          only(['html', 'markdown'], section(`Limits of ${usage.key}`, blocks)),
        ),
      ...usages.map(({ usage, blocks }) => usageBlock(usage, blocks)),
    ],
    'limits',
  );
};
