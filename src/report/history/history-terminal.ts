import type { LevelChange, StoredRun, Trend, TrendFigure } from '../../model/history.ts';
import { sideText } from '../compare/comparison-words.ts';
import { plural } from '../number-text.ts';
import { printable } from '../printable.ts';
import {
  type Cell,
  paragraph,
  type Screen,
  screenOf,
  type Style,
  tableLines,
} from '../terminal/screen.ts';
import {
  changeSentence,
  changesIn,
  dayText,
  hashText,
  steadyText,
  verdictsText,
} from './history-words.ts';

interface Look {
  readonly colour: boolean;
  readonly width: number;
}

/** So many runs of each plan are listed; the page and JSON have all. */
const listed = 20;
/** So many figures fit beside a run. */
const shown = 3;

const styles = { worse: 'bad', better: 'good', other: 'warning' } as const satisfies Record<
  LevelChange['direction'],
  Style
>;
const trustStyles = {
  valid: 'plain',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<StoredRun['trust'], Style>;

const runRow = (run: StoredRun, figures: readonly TrendFigure[]): readonly Cell[] => [
  { text: `  ${run.id}` },
  { text: dayText(run.startedAt) },
  { text: printable(run.baselines.join(' ')) },
  ...figures.map((figure) => {
    const value = figure.points.find((point) => point.run === run.id)?.value;
    return { text: sideText(figure, value ?? null) };
  }),
  { text: verdictsText(run) },
  { text: run.trust, style: trustStyles[run.trust] },
  { text: printable(run.weir), style: 'quiet' },
];

const trendLines = (screen: Screen, trend: Trend): readonly string[] => {
  const { plan, target, runs, figures } = trend;
  const earlier = runs.length - listed;
  const beside = figures.slice(0, shown);
  const changes = changesIn(trend);
  const head = beside.map(({ label, unit }) => printable(`${label} ${unit}`));
  return [
    '',
    screen.paint(
      'strong',
      printable(`${plan} (${hashText(trend)}), ${target}: ${plural(runs.length, 'run')}`),
    ),
    ...tableLines(screen, {
      head: ['  run', 'begun (UTC)', 'baseline', ...head, 'objectives', 'generator', 'Weir'],
      rows: runs.slice(-listed).map((run) => runRow(run, beside)),
      rightFrom: 3,
    }),
    ...(earlier > 0
      ? paragraph(screen, `${plural(earlier, 'earlier run')}: --json and --page have them.`, {
          style: 'quiet',
        })
      : []),
    ...(changes.length === 0
      ? paragraph(screen, steadyText(trend), { style: 'quiet' })
      : changes.flatMap(({ figure, change }) =>
          paragraph(screen, printable(changeSentence(figure, change, runs)), {
            style: styles[change.direction],
          }),
        )),
  ];
};

/** The runs of each plan for a terminal, with the changes of their figures. */
export const historyTerminal = (trends: readonly Trend[], look: Look): string => {
  const screen = screenOf(look);
  if (trends.length === 0)
    return 'The history has no run yet: every finished run that counts is added.';
  return trends
    .flatMap((trend) => trendLines(screen, trend))
    .slice(1)
    .join('\n');
};

/** The baselines of a history, or one of them, with their runs. */
export const baselinesTerminal = (
  runs: readonly StoredRun[],
  only: string | null,
  look: Look,
): string => {
  const screen = screenOf(look);
  const names = [...new Set(runs.flatMap(({ baselines }) => baselines))].toSorted();
  const wanted = names.filter((name) => only === null || name === only);
  if (wanted.length === 0) {
    return 'No baseline is named: `weir history baseline NAME RUN…` does it.';
  }
  const rows = wanted.flatMap((name): readonly (readonly Cell[])[] => [
    [{ text: printable(name), style: 'strong' }],
    ...runs
      .filter(({ baselines }) => baselines.includes(name))
      .map((run) => [
        { text: `  ${run.id}` },
        { text: dayText(run.startedAt) },
        { text: printable(`${run.plan} (${hashText(run)})`) },
        { text: printable(run.file), style: 'quiet' as const },
      ]),
  ]);
  return tableLines(screen, {
    head: ['  run', 'begun (UTC)', 'plan', 'result'],
    rows,
    rightFrom: 4,
  }).join('\n');
};
