import { percentileName } from '../../../model/measures/headline.ts';
import { measures } from '../../../model/measures/measures.ts';
import {
  column,
  type Column,
  facts,
  list,
  type ReportDocument,
  section,
  table,
  text,
  type Tone,
  type TonedText,
  trustTones,
} from '../../../report/document/document.ts';
import {
  countText,
  figureText,
  plural,
  shareText,
  timeText,
} from '../../../report/text/number-text.ts';
import { whatNowPage } from '../../../report/summary/run-verdict.ts';
import {
  mayFailMore,
  type PairedFigure,
  type PairedSide,
  type PairsReport,
} from '../model/pairs.ts';

interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${figureText(Math.abs(value))}`;
const boundText = (value: number | null): string => (value === null ? '…' : signed(value));
const intervalOf = ({ low, high }: Interval): string =>
  low === null && high === null ? 'no interval' : `${boundText(low)} to ${boundText(high)}`;
const msOf = (value: number | null): string => (value === null ? '∞' : figureText(value));
const percentText = (share: number | null): string =>
  share === null ? '–' : `${figureText(share * 100)} %`;

const pointsText = (share: number | null): string =>
  share === null ? '…' : `${signed(share * 100)} %`;

const percentile = (q: number): string => (q === 0.5 ? 'median' : percentileName(q));
const nameOf = ({ measure }: PairedFigure): string => measures[measure].short;

const estimateText = (
  figure: PairedFigure,
  { q, value, outer }: PairedFigure['differences'][number],
): string =>
  `${value === null ? 'an unknown time' : `${signed(value)} ms`} (${intervalOf(outer)}) at the ${percentile(q)} of ${nameOf(figure)}`;

const headline = (figure: PairedFigure): string => {
  const [median] = figure.differences;
  const tail = figure.shifts.find(({ q }) => q === 0.95);
  return [
    median === undefined ? '' : estimateText(figure, median),
    tail === undefined
      ? ''
      : `its p95 is moved by ${tail.value === null ? 'an unknown time' : `${signed(tail.value)} ms`} (${intervalOf(tail.outer)})`,
  ].join('; ');
};

const limitText = (
  figure: PairedFigure | undefined,
  { q, most, verdict }: PairsReport['limits'][number],
): string => {
  const found = (q === 0.5 ? figure?.differences : figure?.shifts)?.find((each) => each.q === q);
  const words = { within: 'kept', worse: 'broken', undecided: 'cannot tell' }[verdict];
  const of = figure === undefined ? '' : ` of ${nameOf(figure)}`;
  const what = `at most +${figureText(most)} ms at the ${percentile(q)}${of}`;
  return `${what}: ${words}${found === undefined ? '' : `, ${found.value === null ? 'unknown' : `${signed(found.value)} ms`} (${intervalOf(found.outer)})`}`;
};

const leads = {
  within: ['The new side keeps the limit', 'good'],
  worse: ['The new side adds more than allowed', 'bad'],
  undecided: ['Cannot tell', 'warning'],
  'fails more': ['The new side fails more often', 'bad'],
  adds: ['The new side adds time', 'plain'],
  saves: ['The new side is faster', 'plain'],
  'no difference': ['No difference seen', 'plain'],
} as const satisfies Record<PairsReport['verdict'], readonly [string, Tone]>;

/**
 * Returns the verdict of a paired comparison as a sentence with the deciding intervals, which are wider than those in
 * the tables.
 */
const pairsVerdict = (report: PairsReport): TonedText => {
  const { verdict, figures, limits, failures, base, next } = report;
  const late = [base, next].some(({ trust }) => trust === 'invalid');
  if (late)
    return {
      text: 'The load was not as planned, so nothing is decided: run it again at a lower rate or on an idle machine',
      tone: 'bad',
    };
  const [lead, tone] = leads[verdict];
  const [first] = figures;
  const { value, outer } = failures.added;
  const reason =
    verdict === 'fails more'
      ? `${pointsText(value)} of pairs (${pointsText(outer.low)} to ${pointsText(outer.high)})`
      : limits.length > 0
        ? limits.map((limit) => limitText(first, limit)).join('; ')
        : first === undefined
          ? 'no pair was answered by both sides'
          : headline(first);
  const failing =
    verdict === 'undecided' && mayFailMore(failures)
      ? `the new side failed more often, ${pointsText(value)} of pairs (${pointsText(outer.low)} to ${pointsText(outer.high)}), which may be chance or one outage; `
      : '';
  const bound = first?.boundBy ?? null;
  const hidden = bound === null ? '' : `. Bound by ${bound}`;
  return { text: `${lead}: ${failing}${reason}${hidden}`, tone };
};

type Row = PairedFigure['differences'][number] & {
  readonly figure: PairedFigure;
  readonly shift: PairedFigure['shifts'][number] | undefined;
};

const rowsOf = (figure: PairedFigure): readonly Row[] =>
  figure.differences.map((each) => ({
    ...each,
    figure,
    shift: figure.shifts.find(({ q }) => q === each.q),
  }));

const valueText = ({ value, weak }: { readonly value: number | null; readonly weak: boolean }) =>
  value === null ? '∞' : `${weak ? '~' : ''}${signed(value)}`;

const columns: readonly Column<Row>[] = [
  column.name('Percentile', ({ q }) => percentile(q)),
  column.number(
    {
      title: 'Difference',
      help: 'Of each pair: new minus base. ∞: so many failed at the new side',
    },
    valueText,
  ),
  column.number('95 % interval', intervalOf),
  column.number({ title: 'Base', spare: true }, ({ shift }) => msOf(shift?.base ?? null)),
  column.number({ title: 'New', spare: true }, ({ shift }) => msOf(shift?.next ?? null)),
  column.number(
    { title: 'Moved', help: 'The percentile of the new side minus that of the base' },
    ({ shift }) => (shift === undefined ? '–' : valueText(shift)),
  ),
  column.number('Its interval', ({ shift }) => (shift === undefined ? '–' : intervalOf(shift))),
];

type Kept = PairedFigure['kept'][number];
const keptColumns: readonly Column<Kept>[] = [
  column.name('Added at most', ({ within }) => timeText(within)),
  column.number('Pairs', ({ share }) => percentText(share.value)),
  column.number(
    '95 % interval',
    ({ share: { low, high } }) => `${percentText(low)} to ${percentText(high)}`,
  ),
  column.number('Pairs/s', ({ perSecond }) => figureText(perSecond)),
];

type NamedSide = PairedSide & { readonly name: string };
const failedOf = ({ outcomes }: PairedSide): string =>
  Object.entries(outcomes)
    .filter(([kind, number]) => kind !== 'completed' && number > 0)
    .map(([kind, number]) => `${countText(number)} ${kind}`)
    .join(', ') || 'no other outcome';

const sideColumns: readonly Column<NamedSide>[] = [
  column.name('Side', ({ name }) => name),
  column.code('Target', ({ target }) => target),
  column.number('Completed', ({ outcomes }) => countText(outcomes.completed)),
  column.words('Others', failedOf),
  column.number(
    'In flight',
    ({ inFlight }) => `${figureText(inFlight.mean)}, at most ${inFlight.most}`,
  ),
  column.verdict('Generator', ({ trust }) => ({ text: trust, tone: trustTones[trust] })),
];

const orderText = ({ order, measure }: PairedFigure): string =>
  `${measures[measure].short}: the second request of a pair took ${order.value === null ? 'an unknown time' : `${signed(order.value)} ms`} longer (${intervalOf(order)})`;

const errorText = (figure: PairedFigure): string => {
  const { error } = figure;
  return `${nameOf(figure)}: the median pair differs by ${intervalOf(error.difference)} ms, however late this machine read; its event loop was at most ${msOf(error.base)} ms late for the median answer of the base and ${msOf(error.next)} ms for the new side’s`;
};

const cachedText = ({ base, next }: PairsReport): string | null => {
  const of = (first: number | null, second: number | null): string =>
    `${first === null ? 'none' : figureText(first)} of the first request and ${second === null ? 'none' : figureText(second)} of the second`;
  const isKnown = [base, next].some(({ cachedSecond }) => cachedSecond !== null);
  return isKnown
    ? `Cached tokens that the base reports: ${of(base.cachedFirst, base.cachedSecond)}; the new side: ${of(next.cachedFirst, next.cachedSecond)}.`
    : null;
};

const meaning =
  'A difference is what the new side took longer for the same request. It says what the new side adds under this load, with the same server loaded twice: not what it would add alone. The tails of differences also have the scatter of both sides; what moves a percentile does not. Intervals hold the error of this machine; no method sees a dependence that lasts longer than the run.';

/**
 * Says what to do if the load generator was late at a side, and where to see the reason; `null` if no side was late.
 */
const adviceText = ({ base, next }: PairsReport, folder: string): string | null => {
  const sides = [
    { name: 'base', ...base },
    { name: 'new', ...next },
  ];
  const late =
    sides.find(({ trust }) => trust === 'invalid') ?? sides.find(({ trust }) => trust !== 'valid');
  return late === undefined
    ? null
    : `The generator was ${late.trust} at the side “${late.name}”. Why: \`weir report ${folder}/${late.name} --details\`. What now: ${whatNowPage}.`;
};

/** Returns the page of a paired comparison. `folder` is where the results of both sides are stored. */
export const pairsDocument = (report: PairsReport, folder: string): ReportDocument => {
  const { weir, name, figures, failures, pairs, gap, seconds, base, next, notes } = report;
  const { added } = failures;
  return {
    weir,
    title: `Pairs of ${name}`,
    description: [`Base ${base.target}`, `New ${next.target}`],
    verdict: pairsVerdict(report),
    introduction: [list([adviceText(report, folder), ...notes])],
    blocks: [
      ...figures.map((figure) =>
        section(`Added ${nameOf(figure)} (ms)`, [
          table(`${plural(figure.pairs, 'pair')} answered by both`, columns, rowsOf(figure)),
        ]),
      ),
      ...figures
        .slice(0, 1)
        .map((figure) =>
          section(`Throughput kept at an added ${nameOf(figure)}`, [
            table('Of all pairs, failed ones too', keptColumns, figure.kept),
          ]),
        ),
      section('Sides', [
        table('Both sides', sideColumns, [
          { ...base, name: 'base' },
          { ...next, name: 'new' },
        ]),
        facts([
          [
            'Pairs',
            `${countText(pairs)} in ${timeText(seconds * 1000)}, ${timeText(gap)} apart, in random order (seed ${report.seed})`,
          ],
          ['Failed at the base only', shareText(failures.baseOnly, Math.max(1, pairs))],
          ['Failed at the new side only', shareText(failures.nextOnly, Math.max(1, pairs))],
          ['Failed at both', shareText(failures.both, Math.max(1, pairs))],
          [
            'Failures added',
            `${pointsText(added.value)} (${pointsText(added.low)} to ${pointsText(added.high)})`,
          ],
          [
            'Unknown',
            `${plural(failures.unknown, 'pair')} of which this machine did not send or await a request`,
          ],
        ]),
      ]),
      section('How sure', [
        list([...figures.map(orderText), ...figures.map(errorText), cachedText(report)]),
        text(meaning, 'quiet'),
      ]),
    ],
    footer: `Compared by Weir ${weir}, ${report.comparedAt}.`,
  };
};
