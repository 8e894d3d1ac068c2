import type { LevelChange, StoredRun, Trend, TrendFigure } from '../../model/series/history.ts';
import { sideValueText } from '../compare/comparison-text.ts';
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
} from '../document/document.ts';
import { plural } from '../text/number-text.ts';
import {
  changeDetectionText,
  changeSentence,
  dateTimeText,
  latestChanges,
  noChangeText,
  objectivesKeptText,
  planHashText,
} from './history-text.ts';
import { trendChart } from './trend-chart.ts';

/** The number of runs and figures of each plan on a terminal; the page and JSON have all. */
const maxListedRuns = 20;
const maxShownFigures = 3;

const directionTones = {
  worse: 'bad',
  better: 'good',
  other: 'warning',
} as const satisfies Record<LevelChange['direction'], Tone>;

const runColumns = (figures: readonly TrendFigure[]): readonly Column<StoredRun>[] => [
  column.name('Run', ({ id }) => String(id)),
  column.text('Started (UTC)', ({ startedAt }) => dateTimeText(startedAt)),
  column.text('Baseline', ({ baselines }) => baselines.join(', ')),
  ...figures.map((figure): Column<StoredRun> =>
    column.number(`${figure.label} ${figure.unit}`, ({ id }) =>
      sideValueText(figure, figure.points.find(({ run }) => run === id)?.value ?? null),
    ),
  ),
  column.text('Objectives', objectivesKeptText),
  column.verdict('Generator', ({ trust }) => ({ text: trust, tone: trustTones[trust] })),
  column.text('Weir', ({ weir }) => weir),
];

const fileColumn: Column<StoredRun> = column.code('Result', ({ file }) => file);

const runTables = ({ plan, runs, figures }: Trend): readonly Block[] => {
  const caption = `Runs of ${plan}`;
  const earlier = runs.length - maxListedRuns;
  const columns = runColumns(figures.slice(0, maxShownFigures));
  const all = table(caption, [...runColumns(figures), fileColumn], runs.toReversed());
  const earlierText = `${plural(earlier, 'earlier run')}: shown with --json and --page.`;
  return [
    only(['terminal'], table(caption, columns, runs.slice(-maxListedRuns))),
    only(['terminal'], text(earlier > 0 ? earlierText : null, 'quiet')),
    only(['html', 'markdown'], fold(plural(runs.length, 'run'), [all])),
  ];
};

const trendSection = (trend: Trend): Section => {
  const { plan, target, runs, figures } = trend;
  const changes = latestChanges(trend).map(({ figure, change }) => ({
    text: changeSentence(figure, change, runs),
    tone: directionTones[change.direction],
  }));
  const [first, last] = [runs[0]!.startedAt, runs.at(-1)!.startedAt].map(dateTimeText);
  return section(
    `${plan} (${planHashText(trend)})`,
    [
      text(`${target}: ${plural(runs.length, 'run')}, ${first} to ${last}`, 'quiet'),
      changes.length === 0 && text(noChangeText(trend), 'quiet'),
      list(changes),
      ...figures.map((figure) => picture(() => trendChart(figure, runs))),
      ...runTables(trend),
    ],
    `plan-${planHashText(trend)}`,
  );
};

const chartMeaning =
  'A dot is a run: hollow if its load generator was overloaded, with a ring if it belongs to a baseline. The numbers below are the runs’ numbers. Dashed lines are changes of level, solid lines the levels.';

/** The runs of each plan over time, with changes in their figures. */
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
    blocks: [
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

/** The baselines of a history, or one of them, with their runs. */
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
