import type { LevelChange, StoredRun, Trend, TrendFigure } from '../../model/series/history.ts';
import { sideValueText } from '../compare/comparison-text.ts';
import { plural } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import {
  type TableCell,
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
  tableLines,
} from '../terminal/terminal-layout.ts';
import {
  changeSentence,
  latestChanges,
  dateTimeText,
  planHashText,
  noChangeText,
  objectivesKeptText,
} from './history-text.ts';

interface TerminalStyle {
  readonly colour: boolean;
  readonly width: number;
}

/** So many runs of each plan are listed; the page and JSON have all. */
const maxListedRuns = 20;
/** So many figures fit beside a run. */
const maxShownFigures = 3;

const styles = { worse: 'bad', better: 'good', other: 'warning' } as const satisfies Record<
  LevelChange['direction'],
  TextStyle
>;
const trustStyles = {
  valid: 'plain',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<StoredRun['trust'], TextStyle>;

const runRow = (run: StoredRun, figures: readonly TrendFigure[]): readonly TableCell[] => [
  { text: `  ${run.id}` },
  { text: dateTimeText(run.startedAt) },
  { text: printable(run.baselines.join(' ')) },
  ...figures.map((figure) => {
    const value = figure.points.find((point) => point.run === run.id)?.value;
    return { text: sideValueText(figure, value ?? null) };
  }),
  { text: objectivesKeptText(run) },
  { text: run.trust, style: trustStyles[run.trust] },
  { text: printable(run.weir), style: 'quiet' },
];

const trendLines = (layout: TerminalLayout, trend: Trend): readonly string[] => {
  const { plan, target, runs, figures } = trend;
  const earlier = runs.length - maxListedRuns;
  const shownFigures = figures.slice(0, maxShownFigures);
  const changes = latestChanges(trend);
  const head = shownFigures.map(({ label, unit }) => printable(`${label} ${unit}`));
  return [
    '',
    layout.paint(
      'strong',
      printable(`${plan} (${planHashText(trend)}), ${target}: ${plural(runs.length, 'run')}`),
    ),
    ...tableLines(layout, {
      head: ['  run', 'begun (UTC)', 'baseline', ...head, 'objectives', 'generator', 'Weir'],
      rows: runs.slice(-maxListedRuns).map((run) => runRow(run, shownFigures)),
      rightFrom: 3,
    }),
    ...(earlier > 0
      ? paragraph(layout, `${plural(earlier, 'earlier run')}: --json and --page have them.`, {
          style: 'quiet',
        })
      : []),
    ...(changes.length === 0
      ? paragraph(layout, noChangeText(trend), { style: 'quiet' })
      : changes.flatMap(({ figure, change }) =>
          paragraph(layout, printable(changeSentence(figure, change, runs)), {
            style: styles[change.direction],
          }),
        )),
  ];
};

/** The runs of each plan for a terminal, with the changes of their figures. */
export const historyTerminal = (trends: readonly Trend[], terminalStyle: TerminalStyle): string => {
  const layout = terminalLayout(terminalStyle);
  if (trends.length === 0)
    return 'The history has no run yet: every finished run that counts is added.';
  return trends
    .flatMap((trend) => trendLines(layout, trend))
    .slice(1)
    .join('\n');
};

/** The baselines of a history, or one of them, with their runs. */
export const baselinesTerminal = (
  runs: readonly StoredRun[],
  only: string | null,
  terminalStyle: TerminalStyle,
): string => {
  const layout = terminalLayout(terminalStyle);
  const names = [...new Set(runs.flatMap(({ baselines }) => baselines))].toSorted();
  const wanted = names.filter((name) => only === null || name === only);
  if (wanted.length === 0) {
    return 'No baseline is named: `weir history baseline NAME RUN…` does it.';
  }
  const rows = wanted.flatMap((name): readonly (readonly TableCell[])[] => [
    [{ text: printable(name), style: 'strong' }],
    ...runs
      .filter(({ baselines }) => baselines.includes(name))
      .map((run) => [
        { text: `  ${run.id}` },
        { text: dateTimeText(run.startedAt) },
        { text: printable(`${run.plan} (${planHashText(run)})`) },
        { text: printable(run.file), style: 'quiet' as const },
      ]),
  ]);
  return tableLines(layout, {
    head: ['  run', 'begun (UTC)', 'plan', 'result'],
    rows,
    rightFrom: 4,
  }).join('\n');
};
