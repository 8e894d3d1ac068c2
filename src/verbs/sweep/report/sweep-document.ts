import type { SweepCurve, SweepPoint, SweepReport } from '../model/sweep.ts';
import {
  column,
  type Column,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  table,
  text,
  methodSection,
} from '../../../report/document/document.ts';
import { truncatedText } from '../../../report/text/display-width.ts';
import { plural } from '../../../report/text/number-text.ts';
import { present, textIf } from '../../../report/text/present.ts';
import { sweepHeatMaps, sweepPlot } from './sweep-plot.ts';
import {
  kneeText,
  lawText,
  pointVerdicts,
  spreadText,
  sweepFigureText,
  sweepSentences,
  sweepTone,
} from './sweep-text.ts';

/**
 * The further figures of a table, in the order of its columns. The two figures by which points are judged are further
 * left.
 */
const otherFigures = [
  ['completedRate', 'Completed /s', 'Done/s'],
  ['outputTokenRate', 'Output tokens /s', 'Tokens/s'],
  ['ttft.p50', 'TTFT p50 ms', 'TTFT p50'],
  ['ttft.p95', 'TTFT p95 ms', 'TTFT p95'],
  ['firstAudio.p50', 'First audio p50 ms', 'Audio p50'],
  ['tpot.p50', 'TPOT p50 ms', 'TPOT p50'],
  ['endToEnd.p50', 'End to end p50 ms', 'E2E p50'],
  ['endToEnd.p95', 'End to end p95 ms', 'E2E p95'],
] as const;

/** Returns the end of each path: at least its last two names, and enough names to tell it from the other paths. */
const shortPaths = (paths: readonly string[]): readonly string[] =>
  paths.map((path) => {
    const names = path.split('.');
    const tails = names.map((_, i) => names.slice(-(i + 1)).join('.'));
    const isOwn = (end: string): boolean =>
      paths.every((other) => other === path || !`.${other}`.endsWith(`.${end}`));
    return tails.slice(1).find(isOwn) ?? path;
  });

const runsText = (runs: SweepPoint['runs'], repetitions: number): string => {
  const counted = runs.filter(({ excludedBecause }) => excludedBecause === null).length;
  return counted === repetitions ? String(counted) : `${counted} of ${repetitions}`;
};

const columnsOf = (report: SweepReport): readonly Column<SweepPoint>[] => {
  const { variables, throughput, latency, repetitions } = report;
  const titled = otherFigures.map(([name, title, short]) => ({ name, title, short }));
  const axes = [throughput, latency].map(
    ({ name, label, unit }) =>
      titled.find((each) => each.name === name) ?? {
        name,
        title: `${label} ${unit}`,
        short: label,
      },
  );
  const others = titled.filter(({ name }) => axes.every((axis) => axis.name !== name));
  const ends = shortPaths(variables.map(({ path }) => path));
  return [
    ...variables.map(({ path }, i) =>
      (i === 0 ? column.name : column.number)<SweepPoint>(
        { title: path, short: ends[i]! },
        ({ values }) => values[i]!,
      ),
    ),
    column.number({ title: 'Runs', media: ['html', 'markdown'] }, ({ runs }) =>
      runsText(runs, repetitions),
    ),
    // The title of a terminal's table already has the usual number of runs, so only another number is shown.
    column.number({ title: 'Runs', media: ['terminal'] }, ({ runs }) => {
      const counted = runsText(runs, repetitions);
      return counted === String(repetitions) ? '' : counted;
    }),
    column.text({ title: 'Front', short: '◆', help: 'On the Pareto front' }, ({ isOnFront }) =>
      isOnFront ? '◆' : ' ',
    ),
    column.verdict('Verdict', ({ verdict }) => pointVerdicts[verdict]),
    ...[...axes, ...others].map(({ name, title, short }, i) =>
      column.number<SweepPoint>({ title, short, spare: i > 1 }, ({ figures }) => ({
        text: figures[name] === undefined && i > 1 ? '' : sweepFigureText(figures[name]),
        note: spreadText(figures[name]),
      })),
    ),
    column.words({ title: 'Reason', media: ['html', 'markdown'] }, ({ reasons }) =>
      reasons.join('; '),
    ),
  ];
};

/** The maximum number of rows on a terminal. With this number, the whole text fits into 25 lines. */
const maxTerminalRows = 10;

/**
 * Returns the points that a terminal shows, in the order of the sweep. Points on the front are preferred, then points
 * with problems.
 */
const terminalPoints = (points: readonly SweepPoint[]): readonly SweepPoint[] => {
  const importance = ({ isOnFront, verdict }: SweepPoint): number =>
    isOnFront ? 0 : verdict === 'kept' || verdict === 'missing' ? 2 : 1;
  const chosen = points.toSorted((a, b) => importance(a) - importance(b)).slice(0, maxTerminalRows);
  return points.filter((point) => chosen.includes(point));
};

const maxTerminalKnees = 3;
const maxTerminalReasons = 2;
/** The maximum width of a reason. With a reason of this width, a line has 100 columns. */
const maxReasonWidth = 90;

/** Returns why points are not kept: each reason with the number of its points, the most frequent reason first. */
const reasonLines = ({ points }: SweepReport): readonly string[] => {
  const reasons = points.flatMap(({ verdict, reasons: [first] }) =>
    verdict === 'kept' || first === undefined ? [] : [`${pointVerdicts[verdict].text}: ${first}`],
  );
  const counted = [...Map.groupBy(reasons, (reason) => reason)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return counted.map(([reason, { length }]) =>
    truncatedText(`${plural(length, 'point')} ${reason}`, maxReasonWidth),
  );
};

const kneeLines = (
  { curves }: SweepReport,
  ofCurve: (curve: SweepCurve) => string,
): readonly string[] =>
  curves.flatMap((curve) => {
    const knee = kneeText(curve);
    return knee === null ? [] : [`${knee}${ofCurve(curve)}`];
  });

const methodTexts = [
  'Each point is a whole run; its figures leave out the warm-up. A point with several runs shows their mean, and below it the lowest and the highest run. Each run has requests of its own, and all points come once before any comes again, each time in another order. The report of the second run of the third point is runs/03-2/report.html.',
  'A point is kept when every run that counts keeps the objectives; without objectives, at least 95 % of what was due must complete. Only kept points can be on the Pareto front: where requests fail, the fast ones are left. A point is on it if none is surely better in one figure and not surely worse in the other; latencies within 10 % or 5 ms of each other, and rates within 5 %, do not surely differ. A run counts unless its load was not as planned, it did not end, nothing succeeded, or no request was due after the warm-up.',
  'The knee of a curve is the largest throughput divided by latency (Kleinrock’s power) on the Universal Scalability Law, fitted to its steady runs.',
] as const;

const description = ({ name, target, variables, points, repetitions, seed }: SweepReport) => [
  `${name} → ${target}`,
  `${plural(points.length, 'point')}: ${variables.map(({ path, values }) => `${path} = ${values.join(', ')}`).join('; ')}. ${plural(repetitions, 'run')} each, in random order (seed ${seed}).`,
];

export const sweepDocument = (report: SweepReport): ReportDocument => {
  const { weir, name, points, objectives } = report;
  const knees = kneeLines(report, lawText);
  const maps = sweepHeatMaps(report);
  const columns = columnsOf(report);
  const [headline, ...sentences] = sweepSentences(report);
  return {
    weir,
    title: `Sweep of ${name}`,
    description: description(report),
    verdict: { text: headline, tone: sweepTone(report) },
    introduction: sentences.map((each) => text(`${each}.`)),
    blocks: present([
      only(
        ['html', 'markdown'],
        section('Throughput and latency', [picture(() => sweepPlot(report)), list(knees)]),
      ),
      maps !== null && only(['html'], section('Heat maps', [picture(() => maps)])),
      only(
        ['html', 'markdown'],
        section('Points', [
          objectives.length > 0 && text(`Criteria: ${objectives.join('; ')}`),
          table('All points', columns, points),
        ]),
      ),
      methodSection(methodTexts),
    ]),
    footer: `Evaluated by Weir ${weir}, ${report.judgedAt}.`,
  };
};

/** Returns the overview that a terminal shows above the verdict. */
export const sweepOverview = (report: SweepReport): ReportDocument => {
  const { weir, points, variables, repetitions, target } = report;
  const shown = terminalPoints(points);
  const left = points.length - shown.length;
  const knees = kneeLines(report, () => '');
  const more = knees.length - maxTerminalKnees;
  return {
    weir,
    title: `${report.name} → ${target}: ${variables.map(({ values }) => values.length).join(' × ')} ${points.length === 1 ? 'point' : 'points'}, ${plural(repetitions, 'run')} each${textIf(
      shown.some(({ isOnFront }) => isOnFront),
      '; ◆ is the Pareto front',
    )}`,
    blocks: [
      table('Points', columnsOf(report), shown),
      list([
        left > 0 && `… and ${left} more in sweep.html`,
        ...reasonLines(report).slice(0, maxTerminalReasons),
        ...knees.slice(0, more > 0 ? maxTerminalKnees - 1 : maxTerminalKnees),
        more > 0 && `… and ${more + 1} more knees in sweep.html`,
      ]),
    ],
    footer: '',
  };
};
