import type { StoredRun } from '../../../model/series/history.ts';
import { changeRules, type LevelChange, type Trend, type TrendFigure } from '../model/trend.ts';
import { sideValueText } from '../../../report/summary/metric-text.ts';
import {
  type Block,
  column,
  type Column,
  fold,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  type Section,
  table,
  text,
  type Tone,
  trustTones,
} from '../../../report/document/document.ts';
import { whatNowPage } from '../../../report/summary/run-verdict.ts';
import { markup } from '../../../report/text/markup.ts';
import { listed, plural } from '../../../report/text/number-text.ts';
import {
  paretoPlots,
  changeSizeText,
  dateTimeText,
  trendChart,
  valueText,
} from './history-plots.ts';

const planHashText = ({ planHash }: Pick<Trend, 'planHash'>): string => planHash.slice(0, 12);

const directions = {
  worse: { text: 'got worse', tone: 'bad' },
  better: { text: 'got better', tone: 'good' },
  other: { text: 'changed', tone: 'warning' },
} as const satisfies Record<LevelChange['direction'], { text: string; tone: Tone }>;

const pText = (p: number): string => (p <= 0.001 ? 'p ≤ 0.001' : `p = ${p.toFixed(3)}`);

const changeSentence = (
  figure: TrendFigure,
  change: LevelChange,
  runs: readonly StoredRun[],
): string => {
  const { run, before, after, direction, p } = change;
  const startedAt = runs.find(({ id }) => id === run)?.startedAt ?? '';
  return `${figure.label} ${directions[direction].text} at run ${run} (${dateTimeText(startedAt)}): from ${valueText(figure, before)} to ${valueText(figure, after)}, ${changeSizeText(figure, change)}, ${pText(p)}.`;
};

/** Returns every change of a trend with the figure that changed, the latest change first. */
const latestChanges = ({
  figures,
  runs,
}: Trend): readonly { readonly figure: TrendFigure; readonly change: LevelChange }[] => {
  const placeOf = (run: number): number => runs.findIndex(({ id }) => id === run);
  return figures
    .flatMap((figure) => figure.changes.map((change) => ({ figure, change })))
    .toSorted((a, b) => placeOf(b.change.run) - placeOf(a.change.run));
};

/** Says that no figure changed, or how many more runs are needed to detect changes. */
const noChangeText = ({ runs }: Trend): string => {
  const missingRuns = changeRules.minRuns - runs.length;
  return missingRuns > 0
    ? `Change detection starts at ${changeRules.minRuns} runs: ${plural(missingRuns, 'more run')} needed.`
    : 'No figure changed.';
};

/** Formats the objectives of a run as `3 of 3 kept`. */
const objectivesKeptText = ({ verdicts }: StoredRun): string => {
  const failed = verdicts.filter(({ ruling }) => ruling === 'fail').length;
  if (verdicts.length === 0) return '';
  return failed === 0
    ? `${verdicts.filter(({ ruling }) => ruling === 'pass').length} of ${verdicts.length} kept`
    : `${failed} of ${verdicts.length} broken`;
};

const changeDetectionText = `E-divisive (Matteson & James 2014) finds the runs at which the level of a figure changes. A change counts if fewer than ${changeRules.alpha * 100} % of ${changeRules.permutations} random orders of the same runs split as clearly, and if it is beyond the minimum effect of a comparison. Detection needs ${changeRules.minRuns} runs, at least ${changeRules.minLevelRuns} of them at the new level. About one in a hundred figures without a change is reported as changed; correlated runs, for example of one afternoon, raise that share. A change is a reason to run a comparison, not a verdict.`;

/**
 * A terminal shows at most `maxListedRuns` runs and `maxShownFigures` figures of each plan. The page and the JSON
 * contain all.
 */
const maxListedRuns = 20;
const maxShownFigures = 3;

/** Returns the traffic kind with which the names of all figures begin, and a space; empty if the kinds differ. */
const sharedKind = (figures: readonly TrendFigure[]): string => {
  const kinds = new Set(figures.map(({ label }) => /^\S+ /.exec(label)?.[0] ?? ''));
  return kinds.size === 1 ? [...kinds].join('') : '';
};

const runColumns = (figures: readonly TrendFigure[]): readonly Column<StoredRun>[] => [
  column.name('Run', ({ id }) => String(id)),
  column.text('Started (UTC)', ({ startedAt }) => dateTimeText(startedAt)),
  column.text('Baseline', ({ baselines }) => baselines.join(', ')),
  ...figures.map((figure, place): Column<StoredRun> =>
    column.number(
      {
        // A third figure does not fit into 80 columns.
        spare: place === 2,
        title: `${figure.label} ${figure.unit}`,
        short: `${figure.label.slice(sharedKind(figures).length)} ${figure.unit}`,
      },
      ({ id }) => sideValueText(figure, figure.points.find(({ run }) => run === id)?.value ?? null),
    ),
  ),
  column.text('Objectives', objectivesKeptText),
  column.verdict('Generator', ({ trust }) => ({ text: trust, tone: trustTones[trust] })),
  column.text({ title: 'Weir', spare: 'first' }, ({ weir }) => weir),
];

const runTables = ({ plan, runs, figures }: Trend): readonly Block[] => {
  const caption = `Runs of ${plan}`;
  const earlier = runs.length - maxListedRuns;
  const columns = runColumns(figures.slice(0, maxShownFigures));
  const file: Column<StoredRun> = column.code('Result', (run) => run.file);
  const all = table(caption, [...runColumns(figures), file], runs.toReversed());
  const earlierText = `${plural(earlier, 'earlier run')}: shown with --json and --page.`;
  return [
    only(['terminal'], table(caption, columns, runs.slice(-maxListedRuns))),
    only(['terminal'], text(earlier > 0 ? earlierText : null, 'quiet')),
    only(['html', 'markdown'], fold(plural(runs.length, 'run'), [all])),
  ];
};

const isNever = ({ points }: TrendFigure): boolean => points.every(({ value }) => value === 0);

/**
 * Draws a chart of each figure that was ever above zero. A single run gets no chart, since the table shows its figures.
 */
const trendCharts = ({ figures, runs }: Trend): readonly Block[] => {
  const never = figures.filter(isNever).map(({ label }) => label);
  const drawn = runs.length === 1 ? [] : figures.filter((figure) => !isNever(figure));
  return [
    picture(() =>
      drawn.length === 0
        ? null
        : markup`<div class="pair">${drawn.map((figure) => trendChart(figure, runs))}</div>`,
    ),
    text(never.length === 0 ? null : `Never above zero: ${listed(never)}.`, 'quiet'),
  ];
};

/**
 * Returns the verdict: the latest change of one figure, and the number of other figures that changed. A figure whose
 * latest change is for the worse comes first.
 */
const historyVerdict = (
  trends: readonly Trend[],
): Exclude<ReportDocument['verdict'], undefined> => {
  const changed = trends.flatMap((trend) =>
    trend.figures.flatMap((figure) => {
      const change = figure.changes.at(-1);
      return change === undefined ? [] : [{ trend, figure, change }];
    }),
  );
  const worse = changed.filter(({ change }) => change.direction === 'worse');
  if (trends.length === 0) return null;
  const searched = trends.filter(({ runs }) => runs.length >= changeRules.minRuns).length;
  if (changed.length === 0) {
    return searched === 0
      ? {
          text: `No plan has ${changeRules.minRuns} runs yet: changes are detected from then on`,
          tone: 'plain',
        }
      : { text: `No change in ${plural(searched, 'plan')} with enough runs`, tone: 'good' };
  }
  const [first] = worse.length > 0 ? worse : changed;
  const { trend, figure, change } = first!;
  const others = changed.length - 1;
  return {
    text: `${trend.plan}: ${figure.label} ${directions[change.direction].text} at run ${change.run}, ${changeSizeText(figure, change)}${others === 0 ? '' : `; ${plural(others, 'other change')}`}`,
    tone: worse.length > 0 ? 'bad' : 'good',
  };
};

/** Says when the first and the last run started, without repeating equal parts of the times. */
const spanText = (runs: readonly StoredRun[]): string => {
  const [first = '', last = ''] = [runs[0]!, runs.at(-1)!].map((run) =>
    dateTimeText(run.startedAt),
  );
  if (first === last) return first;
  const [day] = first.split(' ');
  return `${first} to ${last.replace(`${day} `, '')}`;
};

const trendSection = (trend: Trend): Section => {
  const { plan, target, runs } = trend;
  const changes = latestChanges(trend).map(({ figure, change }) => ({
    text: changeSentence(figure, change, runs),
    tone: directions[change.direction].tone,
  }));
  const uncertain = runs.filter(({ trust }) => trust !== 'valid').length;
  return section(
    `${plan} (${planHashText(trend)})`,
    [
      text(`${target}: ${plural(runs.length, 'run')}, ${spanText(runs)}`, 'quiet'),
      changes.length === 0 && text(noChangeText(trend), 'quiet'),
      list(changes),
      uncertain > 0 &&
        text(
          `${uncertain} of ${plural(runs.length, 'run')} with approximate figures or a load not quite as planned. What now: ${whatNowPage}.`,
          'quiet',
        ),
      ...trendCharts(trend),
      ...runTables(trend),
    ],
    `plan-${planHashText(trend)}`,
  );
};

const chartMeaning =
  'A dot is a run: hollow if its figures are approximate or its load was not quite as planned, with a ring if it belongs to a baseline. The numbers below are the runs’ numbers. Dashed lines are changes of level, solid lines the levels.';

/** Plots throughput against latency, if the runs differ in both. */
const paretoSections = (trends: readonly Trend[]): readonly Section[] => {
  const plots = paretoPlots(trends);
  if (plots.length === 0) return [];
  const drawn = picture(() => markup`<div class="pair">${plots}</div>`);
  return [only(['html'], section('Throughput and latency', [drawn]))];
};

export const historyDocument = (weir: string, trends: readonly Trend[]): ReportDocument => {
  const runs = trends.reduce((sum, trend) => sum + trend.runs.length, 0);
  return {
    weir,
    title: 'History',
    description: [
      trends.length === 0
        ? 'The history has no runs yet. Every finished run that is not excluded is added.'
        : `${plural(runs, 'run')} of ${plural(trends.length, 'plan')}; the plan of the latest run is first.`,
    ],
    verdict: historyVerdict(trends),
    blocks: [
      ...paretoSections(trends),
      ...trends.map(trendSection),
      only(['html'], section('Definitions', [text(chartMeaning), text(changeDetectionText)])),
    ],
    footer: `Written by Weir ${weir}.`,
  };
};

interface Member {
  readonly name: string;
  readonly run: StoredRun;
}

const memberColumns: readonly Column<Member>[] = [
  column.name('Run', ({ run }) => String(run.id)),
  column.text('Started (UTC)', ({ run }) => dateTimeText(run.startedAt)),
  column.text('Plan', ({ run }) => `${run.plan} (${planHashText(run)})`),
  column.code('Result', ({ run }) => ({ text: run.file, tone: 'quiet' })),
];

export const baselinesDocument = (
  weir: string,
  runs: readonly StoredRun[],
  wanted: string | null,
): ReportDocument => {
  const names = [...new Set(runs.flatMap(({ baselines }) => baselines))].toSorted();
  const members = names
    .filter((name) => wanted === null || name === wanted)
    .flatMap((name) =>
      runs.filter(({ baselines }) => baselines.includes(name)).map((run) => ({ name, run })),
    );
  const none = 'There is no baseline. Name one with `weir history baseline NAME RUN…`.';
  return {
    weir,
    title: 'Baselines',
    description: members.length === 0 ? [none] : [],
    blocks: [table('Runs of baselines', memberColumns, members, { groupOf: ({ name }) => name })],
    footer: `Written by Weir ${weir}.`,
  };
};
