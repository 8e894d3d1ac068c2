import {
  isBelow,
  pointName,
  type SweepAxis,
  type SweepFigure,
  type SweepPoint,
  type SweepReport,
} from '../model/sweep.ts';
import { tones } from '../../../report/document/document.ts';
import { axisTo, type Pen, plotFigure, rowAxis } from '../../../report/document/plot.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import { plural, timeText } from '../../../report/text/number-text.ts';
import { frontOf, pointVerdicts, sweepFigureText, axisValueText } from './sweep-text.ts';

interface Placed {
  readonly point: SweepPoint;
  readonly place: readonly [throughput: number, latency: number];
}

const placedOf = ({ points, throughput, latency }: SweepReport): readonly Placed[] =>
  points.flatMap((point) => {
    const [x, y] = [point.figures[throughput.name], point.figures[latency.name]];
    return x === undefined || y === undefined ? [] : [{ point, place: [x.value, y.value] }];
  });

const textOf = ({ unit }: SweepAxis): ((value: number) => string) | undefined =>
  unit === 'ms' ? timeText : undefined;

/** Draws a line through the points of each curve. The curve's name is at the end of the line. */
const curveLines = (
  { curves, points }: SweepReport,
  placed: readonly Placed[],
  pen: Pen,
): readonly (Markup | null)[] =>
  curves.flatMap(({ name, points: members }) => {
    const places = members.flatMap(
      (i) => placed.find(({ point }) => point === points[i])?.place ?? [],
    );
    const line: (readonly [number, number])[] = [];
    for (let i = 0; i + 1 < places.length; i += 2) {
      line.push([places[i] as number, places[i + 1] as number]);
    }
    const end = line.at(-1);
    // Near the left edge, the name is on the right side of the point.
    const [anchor, dx] = end !== undefined && pen.place(end[0]) < 200 ? ['start', 8] : ['end', -8];
    return [
      pen.path('curve', line),
      end === undefined || name === ''
        ? null
        : markup`<text x="${pen.x(end[0])}" y="${pen.y(end[1])}" dx="${dx}" dy="-7" text-anchor="${anchor}">${name}</text>`,
    ];
  });

/** Plots throughput against latency with a dot for each point; `null` if no point has both figures. */
export const sweepPlot = (report: SweepReport): Markup | null => {
  const placed = placedOf(report);
  if (placed.length === 0) return null;
  const { throughput, latency } = report;
  const front = frontOf(report);
  const onFront = placed
    .filter(({ point }) => point.isOnFront)
    .toSorted((a, b) => a.place[0] - b.place[0]);
  const dotText = ({ point, place }: Placed): string =>
    `${pointName(report.variables, point.values)}: ${axisValueText(throughput, place[0])}, ${axisValueText(latency, place[1])}, ${pointVerdicts[point.verdict].text}${point.isOnFront ? ', on the front' : ''}`;
  const frontText =
    front.length === 0 ? 'no point is on it' : `${plural(front.length, 'point')}, ringed`;
  return plotFigure(
    {
      title: `${latency.label} against ${throughput.label.toLowerCase()}`,
      unit: latency.unit,
      aside: `Right is more, down is faster; filled points kept the objectives. Pareto front: ${frontText}; no other kept point is surely better in one figure and as good in the other.`,
      size: [1040, 380],
      x: {
        ...axisTo(Math.max(...placed.map(({ place }) => place[0])) * 1.05 || 1, textOf(throughput)),
        label: `${throughput.label.toLowerCase()} per second`,
      },
      y: axisTo(Math.max(...placed.map(({ place }) => place[1])) || 1, textOf(latency)),
    },
    (pen) => [
      ...curveLines(report, placed, pen),
      pen.path(
        'firm valid',
        onFront.map(({ place }) => place),
      ),
      ...onFront.map(({ place }) => pen.dot('baseline', place, '', 8)),
      ...placed.map((each) => {
        const { look } = tones[pointVerdicts[each.point.verdict].tone];
        return pen.dot(look, each.place, dotText(each), 4);
      }),
    ],
  );
};

/** The opacities of the cells with the lowest and the highest value. */
const [palest, darkest] = [0.06, 0.6];
/**
 * If the highest value is less than this multiple of the lowest value, the highest value is drawn paler than `darkest`.
 */
const wholeScale = 1.5;

/**
 * Returns the opacity of each figure. Figures that do not surely differ get the same opacity, so noise does not look
 * like a pattern.
 */
const shades = ({ points }: SweepReport, axis: SweepAxis): ((figure: SweepFigure) => number) => {
  const levels: SweepFigure[][] = [];
  for (const figure of points
    .flatMap(({ figures }) => figures[axis.name] ?? [])
    .toSorted((a, b) => a.value - b.value)) {
    const level = levels.at(-1);
    if (level === undefined || isBelow(axis, level[0]!, figure)) levels.push([figure]);
    else level.push(figure);
  }
  const means = levels.map(
    (level) => level.reduce((sum, { value }) => sum + value, 0) / level.length,
  );
  const [least = 0, most = 0] = [means[0], means.at(-1)];
  const range = Math.max(most - least, Math.abs(least) * (wholeScale - 1)) || 1;
  return (figure) => {
    const mean = means[levels.findIndex((level) => level.includes(figure))]!;
    return palest + ((darkest - palest) * (mean - least)) / range;
  };
};

/** Returns the width of a heat map in pixels. Two of the narrowest heat maps fit side by side on a page. */
const widthOf = (columns: number): number => Math.max(narrowestMap, 70 + columns * 62);
const narrowestMap = 440;

/** Draws one figure over both variables. A stronger colour means a higher value. */
const heatMapOf = (report: SweepReport, axis: SweepAxis): Markup | null => {
  const [down, across] = report.variables;
  if (down === undefined || across === undefined) return null;
  const values = report.points.flatMap(({ figures }) => figures[axis.name]?.value ?? []);
  if (values.length === 0) return null;
  const shadeOf = shades(report, axis);
  const rowHeight = 34;
  const cellOf = (point: SweepPoint, i: number, pen: Pen): Markup => {
    const [row, col] = [Math.floor(i / across.values.length), i % across.values.length];
    const figure = point.figures[axis.name];
    const width = pen.width / across.values.length;
    const mark = point.isOnFront
      ? ' ◆'
      : point.verdict === 'kept'
        ? ''
        : ` ${tones[pointVerdicts[point.verdict].tone].glyph}`;
    const shade =
      figure === undefined
        ? null
        : markup`<path class="cells p50" fill-opacity="${shadeOf(figure).toFixed(2)}" d="M${pen.x(col)} ${pen.y(row)}h${(width - 2).toFixed(1)}v${rowHeight - 2}h-${(width - 2).toFixed(1)}z"><title>${pointName(report.variables, point.values)}: ${pointVerdicts[point.verdict].text}</title></path>`;
    return markup`${shade}<text class="cell" x="${pen.x(col + 0.5)}" y="${pen.y(row + 0.5)}" dy="0.32em" text-anchor="middle">${sweepFigureText(figure)}${mark}</text>`;
  };
  return plotFigure(
    {
      title: axis.label,
      unit: axis.unit === '/s' ? 'per second' : axis.unit,
      aside: `${down.path} downwards, ${across.path} across; the stronger the colour, the higher; one colour where values do not surely differ. ◆ is on the Pareto front${values.length < report.points.length ? ', – has no figure' : ''}.`,
      size: [widthOf(across.values.length), 54 + rowHeight * down.values.length],
      x: {
        ends: [0, across.values.length],
        ticks: across.values.map((value, i) => [i + 0.5, value]),
        label: across.path,
      },
      y: rowAxis(down.values),
    },
    (pen) => report.points.map((point, i) => cellOf(point, i, pen)),
  );
};

/** Draws a heat map of each figure if the sweep has two variables; `null` for any other sweep. */
export const sweepHeatMaps = (report: SweepReport): Markup | null => {
  const { variables, throughput, latency } = report;
  if (variables.length !== 2 || variables.some(({ values }) => values.length < 2)) return null;
  const maps = [heatMapOf(report, throughput), heatMapOf(report, latency)];
  const isWide = widthOf(variables[1]!.values.length) > narrowestMap * 1.2;
  return isWide ? markup`${maps}` : markup`<div class="plots">${maps}</div>`;
};
