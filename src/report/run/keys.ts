import { isViolation, type LimitCheck, type LimitFinding } from '../../model/limits/limit-log.ts';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import type { Result } from '../../model/result/result.ts';
import {
  type Block,
  type Column,
  fold,
  list,
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
import {
  keyUsages,
  type KeyUsage,
  limitedText,
  limitText,
  remainingText,
  unrecordedText,
} from '../summary/key-usage.ts';
import { keyClaimsToShow, keyLimitSentences } from '../summary/run-limits-text.ts';
import { countText, plural } from '../text/number-text.ts';

const usageColumns: readonly Column<KeyUsage>[] = [
  {
    title: 'Key',
    holds: 'name',
    cell: (usage) => ({ text: usage.key, note: unrecordedText(usage) ?? undefined }),
  },
  { title: 'Answered', holds: 'number', cell: ({ answered }) => countText(answered) },
  { title: '429s', holds: 'text', cell: limitedText },
  { title: 'Request limit', holds: 'text', cell: ({ requests }) => limitText(requests) },
  { title: 'Lowest remaining', holds: 'text', cell: ({ requests }) => remainingText(requests) },
  { title: 'Token limit', holds: 'text', cell: ({ tokens }) => limitText(tokens) },
  { title: 'Lowest remaining', holds: 'text', cell: ({ tokens }) => remainingText(tokens) },
];

const findingTones = {
  proved: 'good',
  refuted: 'warning',
  undecided: 'quiet',
} as const satisfies Record<LimitFinding, Tone>;

const findingCell = (check: LimitCheck, isJudged: boolean): { text: string; tone: Tone } =>
  isJudged && isViolation(check)
    ? { text: 'violated', tone: 'bad' }
    : { text: check.finding, tone: findingTones[check.finding] };

const claimColumns = (isJudged: boolean): readonly Column<LimitCheck>[] => [
  { title: 'Claim', holds: 'words', cell: ({ claim }) => claim },
  { title: 'Finding', holds: 'verdict', cell: (check) => findingCell(check, isJudged) },
  {
    title: 'Observed',
    holds: 'words',
    cell: ({ observed, evidence }) => ({ text: observed, note: evidence.join(' · ') }),
  },
  {
    title: 'Source',
    holds: 'text',
    cell: (check) => (check.section === null ? '–' : `§ ${check.section}`),
  },
];

/** The usage of a key in words, for a terminal. */
const usageTexts = (usage: KeyUsage): readonly string[] => [
  ...(['requests', 'tokens'] as const).map(
    (name) => `${name}: ${limitText(usage[name])}; lowest remaining ${remainingText(usage[name])}`,
  ),
  ...[unrecordedText(usage)].filter((each) => each !== null),
];

const findingBlocks = (key: KeyLimits, isJudged: boolean): readonly Block[] => {
  const refuted = keyClaimsToShow(key).filter(({ finding }) => finding === 'refuted');
  return [
    list(keyLimitSentences(key)),
    {
      kind: 'list',
      items: refuted.map((check) => {
        const { text: finding, tone } = findingCell(check, isJudged);
        return { text: `${finding}: ${check.id}: ${check.observed}`, tone };
      }),
      media: ['terminal', 'markdown'],
    },
    {
      ...fold(
        'Proved and refuted claims about the limits of this key',
        [table(`Claims about ${key.key}`, claimColumns(isJudged), key.checks)],
        refuted.length > 0,
      ),
      media: ['html'],
    },
  ];
};

/** The limits and the remaining quota of each key, and what the run proves about them. */
export const keysSection = (result: Result, charts: readonly Chart[]): Section => {
  const { limits, ledger } = result;
  const usages = keyUsages(result);
  const limitsOf = (name: string): readonly Block[] => {
    const key = limits?.keys.find((each) => each.key === name);
    return key === undefined ? [] : findingBlocks(key, limits?.judged === true);
  };
  return section('Keys', [
    table(
      'Limits and remaining quota of each key, from the response headers',
      usageColumns,
      usages,
      {
        media: ['html', 'markdown'],
        showsNotes: true,
      },
    ),
    text(
      ledger.length <= maxChartedKeys
        ? ''
        : `Charts and claims of the first ${maxChartedKeys} of ${ledger.length} keys.`,
      'quiet',
      ['html'],
    ),
    picture(() => charts.map(chartFigure)),
    ...usages
      .slice(0, maxChartedKeys)
      .map((usage) =>
        section(`Limits of ${usage.key}`, limitsOf(usage.key), { media: ['html', 'markdown'] }),
      ),
    ...usages.map((usage): Block => ({
      ...fold(`${usage.key}: ${plural(usage.answered, 'answer')}, 429s: ${limitedText(usage)}`, [
        list(usageTexts(usage)),
        ...limitsOf(usage.key),
      ]),
      media: ['terminal'],
    })),
    text(
      limits === undefined || usages.length === 0
        ? ''
        : 'A decision of the gateway is only known to fall between the sending of the request and the first byte of the answer. “Proved” and “refuted” are valid for all possible times of the decisions. Refuted claims do not necessarily violate a limit; undecided ones cannot be settled by this run.',
      'quiet',
      ['html'],
    ),
  ]);
};
