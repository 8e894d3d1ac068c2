import type { LevelChange, StoredRun, Trend, TrendFigure } from '../../model/series/history.ts';
import { sideValueText } from '../compare/comparison-text.ts';
import {
  type Block,
  type Column,
  fold,
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
  { title: 'Run', holds: 'name', cell: ({ id }) => String(id) },
  { title: 'Started (UTC)', holds: 'text', cell: ({ startedAt }) => dateTimeText(startedAt) },
  { title: 'Baseline', holds: 'text', cell: ({ baselines }) => baselines.join(', ') },
  ...figures.map((figure): Column<StoredRun> => ({
    title: `${figure.label} ${figure.unit}`,
    holds: 'number',
    cell: ({ id }) =>
      sideValueText(figure, figure.points.find(({ run }) => run === id)?.value ?? null),
  })),
  { title: 'Objectives', holds: 'text', cell: objectivesKeptText },
  {
    title: 'Generator',
    holds: 'verdict',
    cell: ({ trust }) => ({ text: trust, tone: trustTones[trust] }),
  },
  { title: 'Weir', holds: 'text', cell: ({ weir }) => weir },
];

const fileColumn: Column<StoredRun> = {
  title: 'Result',
  holds: 'code',
  cell: ({ file }) => file,
};

const runTables = ({ plan, runs, figures }: Trend): readonly Block[] => {
  const caption = `Runs of ${plan}`;
  const earlier = runs.length - maxListedRuns;
  return [
    table(caption, runColumns(figures.slice(0, maxShownFigures)), runs.slice(-maxListedRuns), {
      media: ['terminal'],
    }),
    text(
      earlier > 0 ? `${plural(earlier, 'earlier run')}: shown with --json and --page.` : '',
      'quiet',
      ['terminal'],
    ),
    {
      ...fold(plural(runs.length, 'run'), [
        table(caption, [...runColumns(figures), fileColumn], runs.toReversed()),
      ]),
      media: ['html', 'markdown'],
    },
  ];
};

const trendSection = (trend: Trend): Section => {
  const { plan, target, runs, figures } = trend;
  const changes = latestChanges(trend);
  return section(
    `${plan} (${planHashText(trend)})`,
    [
      text(
        `${target}: ${plural(runs.length, 'run')}, ${dateTimeText(runs[0]!.startedAt)} to ${dateTimeText(runs.at(-1)!.startedAt)}`,
        'quiet',
      ),
      text(changes.length === 0 ? noChangeText(trend) : '', 'quiet'),
      {
        kind: 'list',
        items: changes.map(({ figure, change }) => ({
          text: changeSentence(figure, change, runs),
          tone: directionTones[change.direction],
        })),
      },
      ...figures.map((figure) => picture(() => trendChart(figure, runs))),
      ...runTables(trend),
    ],
    { id: `plan-${planHashText(trend)}` },
  );
};

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
    verdict: null,
    introduction: [],
    blocks: [
      ...trends.map(trendSection),
      section(
        'Definitions',
        [
          text(
            'A dot is a run: hollow if its load generator was overloaded, with a ring if it belongs to a baseline. The numbers below are the runs’ numbers. Dashed lines are changes of level, solid lines the levels.',
          ),
          text(changeDetectionText),
        ],
        { media: ['html'] },
      ),
    ],
    footer: `Written by Weir ${weir}.`,
  };
};

/** The baselines of a history, or one of them, with their runs. */
export const baselinesDocument = (
  weir: string,
  runs: readonly StoredRun[],
  only: string | null,
): ReportDocument => {
  const names = [...new Set(runs.flatMap(({ baselines }) => baselines))].toSorted();
  const members = names
    .filter((name) => only === null || name === only)
    .flatMap((name) =>
      runs.filter(({ baselines }) => baselines.includes(name)).map((run) => ({ name, run })),
    );
  const columns: readonly Column<(typeof members)[number]>[] = [
    { title: 'Run', holds: 'name', cell: ({ run }) => String(run.id) },
    { title: 'Started (UTC)', holds: 'text', cell: ({ run }) => dateTimeText(run.startedAt) },
    { title: 'Plan', holds: 'text', cell: ({ run }) => `${run.plan} (${planHashText(run)})` },
    { title: 'Result', holds: 'code', cell: ({ run }) => ({ text: run.file, tone: 'quiet' }) },
  ];
  return {
    weir,
    title: 'Baselines',
    description:
      members.length === 0
        ? ['There is no baseline. Name one with `weir history baseline NAME RUN…`.']
        : [],
    verdict: null,
    introduction: [],
    blocks: [table('Runs of baselines', columns, members, { groupOf: ({ name }) => name })],
    footer: `Written by Weir ${weir}.`,
  };
};
