import {
  isBelow,
  pointName,
  type SweepAxis,
  type SweepCurve,
  type SweepFigure,
  type SweepPoint,
  type SweepReport,
} from '../model/sweep.ts';
import type { Cell } from '../../../report/document/document.ts';
import { figureText, plural, timeText } from '../../../report/text/number-text.ts';
import { whatNowPage } from '../../../report/summary/run-verdict.ts';
import { present } from '../../../report/text/present.ts';

export const pointVerdicts = {
  kept: { text: 'kept', tone: 'good' },
  broken: { text: 'broken', tone: 'bad' },
  undecided: { text: 'undecided', tone: 'warning' },
  excluded: { text: 'excluded', tone: 'warning' },
  missing: { text: 'not run', tone: 'quiet' },
} as const satisfies Record<SweepPoint['verdict'], Cell>;

/** Formats a value with the unit of its figure: `12.3/s` or `210 ms`. */
export const axisValueText = ({ unit }: SweepAxis, value: number): string =>
  unit === '/s'
    ? `${figureText(value)}/s`
    : unit === 'ms'
      ? timeText(value)
      : `${figureText(value)} ${unit}`;

/** Formats a figure without its unit, with a mark if the figure has too few samples. */
export const sweepFigureText = (figure: SweepFigure | undefined): string =>
  figure === undefined ? '–' : `${figure.isWeak ? '~' : ''}${figureText(figure.value)}`;

/** Formats the lowest and the highest value among the runs; empty for a single run. */
export const spreadText = (figure: SweepFigure | undefined): string =>
  figure === undefined || figure.low === figure.high
    ? ''
    : `${figureText(figure.low)}–${figureText(figure.high)}`;

export const sweptRunLine = ({ figures, verdict, reasons }: SweepPoint): string => {
  const { completedRate, 'ttft.p50': ttft, 'endToEnd.p50': endToEnd } = figures;
  const found = present([
    completedRate === undefined ? 'no rate' : `${figureText(completedRate.value)}/s completed`,
    ttft !== undefined && `TTFT p50 ${timeText(ttft.value)}`,
    endToEnd !== undefined && `end to end p50 ${timeText(endToEnd.value)}`,
  ]);
  const why = reasons[0] === undefined ? '' : `: ${reasons[0]}`;
  return `  ${found.join(', ')}: ${pointVerdicts[verdict].text}${why}`;
};

/** Describes the knee of a curve; `null` if no law could be fitted. */
export const kneeText = ({ name, fit }: SweepCurve): string | null => {
  if (fit === null) return null;
  const where = name === '' ? '' : `${name}: `;
  if (fit.knee === null) return `${where}no knee within the points`;
  const { rate, inFlight, latency } = fit.knee;
  return `${where}knee at ${figureText(inFlight)} in flight, ${figureText(rate)}/s completed, ${timeText(latency)} per answer`;
};

/** Describes the scalability law from which the knee of a curve is computed; empty if no law could be fitted. */
export const lawText = ({ fit }: SweepCurve): string =>
  fit === null
    ? ''
    : ` (contention σ ${Number(fit.sigma.toPrecision(2))}, coherence κ ${Number(fit.kappa.toPrecision(2))}, residual ${(fit.residual * 100).toFixed(1)} %)`;

/** Returns the points on the front, from the lowest latency to the highest. */
export const frontOf = ({ points, latency }: SweepReport): readonly SweepPoint[] =>
  points
    .filter(({ isOnFront }) => isOnFront)
    .toSorted((a, b) => a.figures[latency.name]!.value - b.figures[latency.name]!.value);

/** Formats the name and the two figures of a point. `hasLabels` adds the labels of the two figures. */
const placeText = (report: SweepReport, point: SweepPoint, hasLabels = false): string => {
  const { throughput, latency } = report;
  const label = (axis: SweepAxis): string => (hasLabels ? `${axis.label} ` : '');
  const [x, y] = [point.figures[throughput.name]!.value, point.figures[latency.name]!.value];
  return `${pointName(report.variables, point.values)} (${label(throughput)}${axisValueText(throughput, x)}, ${label(latency)}${axisValueText(latency, y)})`;
};

const countOf = ({ points }: SweepReport, verdict: SweepPoint['verdict']): number =>
  points.filter((each) => each.verdict === verdict).length;

const incompleteText = (report: SweepReport): string => {
  const [excluded, missing] = [countOf(report, 'excluded'), countOf(report, 'missing')];
  return present([
    excluded > 0 && `${plural(excluded, 'point')} excluded`,
    missing > 0 && `${missing} not run`,
    report.partial,
  ]).join(', ');
};

/**
 * Returns the number of points that have a degraded run. The load generator may have made the figures of these points
 * wrong.
 */
const uncertainPoints = ({ points }: SweepReport): number =>
  points.filter(({ runs }) => runs.some(({ trust }) => trust === 'degraded')).length;

/** Says how many points have approximate figures, and where to read more; `null` without such points. */
const uncertaintyText = (report: SweepReport): string | null => {
  const uncertain = uncertainPoints(report);
  return uncertain === 0
    ? null
    : `Figures of ${uncertain} of ${plural(report.points.length, 'point')} are approximate: the load generator can have moved them. What now: ${whatNowPage}`;
};

/** Returns whether no two points on the front surely differ in either figure. */
const isOnePlace = ({ throughput, latency }: SweepReport, front: readonly SweepPoint[]): boolean =>
  [throughput, latency].every((axis) =>
    front.every((one) =>
      front.every((other) => !isBelow(axis, one.figures[axis.name]!, other.figures[axis.name]!)),
    ),
  );

const frontText = (report: SweepReport, front: readonly SweepPoint[]): string => {
  const [first, last] = [front[0]!, front.at(-1)!];
  if (front.length === 1) {
    const what = countOf(report, 'kept') === 1 ? 'The only one' : 'The best in both figures';
    return `${what}: ${placeText(report, first, true)}`;
  }
  if (isOnePlace(report, front)) {
    const others = plural(front.length - 1, 'point');
    return `The best in both figures: ${placeText(report, last, true)}, and ${others} not surely different`;
  }
  return `Pareto front: ${front.length} points, from ${placeText(report, first)} to ${placeText(report, last)}`;
};

/**
 * Returns the sentences of the verdict: which points are best, how many points are kept, and how many points are
 * approximate.
 */
export const sweepSentences = (report: SweepReport): readonly [string, ...string[]] => {
  const front = frontOf(report);
  const what = report.objectives.length === 0 ? 'completed' : 'kept';
  const kept = `${countOf(report, 'kept')} of ${plural(report.points.length, 'point')} ${what}`;
  const lacks = incompleteText(report);
  const all = lacks === '' ? kept : `${kept} (${lacks})`;
  const sure = present([uncertaintyText(report)]);
  return front.length === 0
    ? [`No point on the Pareto front: ${all}`, ...sure]
    : [frontText(report, front), all, ...sure];
};

export const sweepHeadline = (report: SweepReport): string => sweepSentences(report).join('. ');

export const sweepTone = (report: SweepReport): 'good' | 'warning' | 'bad' => {
  if (frontOf(report).length === 0) return 'bad';
  const isWhole = report.partial === null && countOf(report, 'excluded') === 0;
  return isWhole && uncertainPoints(report) === 0 ? 'good' : 'warning';
};
