import type { Comparison, ComparedSide } from '../model/comparison.ts';
import type { ComparedMetric, ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { type Axis, type Pen, plotFigure, rowAxis } from '../../../report/document/plot.ts';
import { whatNowPage } from '../../../report/summary/run-verdict.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import {
  changeIntervalText,
  gatedMetrics,
  metricName,
  comparisonVerdictText,
  minimumEffectText,
  pValueText,
  remarkText,
  streamText,
  unsignedChangeText,
  worseBesides,
} from './comparison-text.ts';
import { changeText, sideValueText } from '../../../report/summary/metric-text.ts';
import { present } from '../../../report/text/present.ts';
import { measures } from '../../../model/measures/measures.ts';
import {
  column,
  type Column,
  facts,
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
import {
  failed,
  type JunitCase,
  junitFile,
  passed,
  skipped,
} from '../../../report/junit/junit-file.ts';
import { countText, figureText, plural } from '../../../report/text/number-text.ts';

/** The values of the axis's ticks, from the middle outwards. */
const ticks = [1, 0.95, 1.05, 0.9, 1.1, 0.8, 1.25, 0.67, 1.5, 0.5, 2, 0.33, 3, 0.25, 4] as const;
const [narrowest, widest] = [Math.log(1.15), Math.log(4.2)];

const ratiosOf = ({ base, next, effect }: ComparedMetric): readonly number[] => [
  ...[...base.values, ...next.values].map((value) => value / (base.typical ?? value)),
  ...[effect?.low, effect?.high, effect?.change].flatMap((value) => value ?? []),
];

const tickText = (ratio: number): string =>
  ratio === 1 ? 'base' : changeText({ scale: 'ratio' }, ratio).replace('.0 %', ' %');

const ratioAxis = (metrics: readonly ComparedMetric[]): Axis => {
  const reach = metrics
    .flatMap(ratiosOf)
    .reduce((most, ratio) => Math.max(most, Math.abs(Math.log(ratio))), narrowest);
  const end = Math.exp(Math.min(widest, reach * 1.08));
  const labelled = ticks.map((ratio) => [ratio, tickText(ratio)] as const);
  return { ends: [1 / end, end], isLogarithmic: true, ticks: labelled };
};

/** Draws the row of a metric in the plot, from height `i` to `i + 1` (counted in rows). */
const line = (metric: ComparedMetric, i: number, { x, y, dot }: Pen): Markup | null => {
  const { base, effect, verdict } = metric;
  if (effect === null) return null;
  const { low, high, change, least } = effect;
  const [middle, above, below] = [i + 0.5, i + 0.4, i + 0.6].map(y);
  const bar = (ratio: number): string => `M${x(ratio)} ${above}V${below}`;
  const dots = (side: 'base' | 'next', height: number): readonly Markup[] =>
    metric[side].values.map((value) => dot(side, [value / (base.typical ?? value), height]));
  return markup`<g>
    <title>${metricName(metric)}: ${changeText(metric, change)} ${changeIntervalText(metric)}, ${verdict}</title>
    <path class="area" d="M${x(1 / least)} ${y(i + 0.1)}H${x(least)}V${y(i + 0.9)}H${x(1 / least)}Z" />
    ${dots('base', i + 0.28)}${dots('next', i + 0.72)}
    ${low === null || high === null ? null : markup`<path class="interval firm ${verdict}" d="M${x(low)} ${middle!}H${x(high)}${bar(low)}${bar(high)}" />`}
    <path class="change ${verdict}" d="M${x(change)} ${middle!}m0 -6l6 6l-6 6l-6 -6z" />
  </g>`;
};

/**
 * Draws a forest plot: the runs of each gated metric, the change with its interval, and the band of irrelevant changes.
 * Returns `null` if no gated metric is a ratio.
 */
const comparisonPlot = (comparison: Comparison): Markup | null => {
  const plotted = gatedMetrics(comparison).filter(
    ({ scale, effect }) => scale === 'ratio' && effect !== null,
  );
  if (plotted.length === 0) return null;
  const title = 'Change of each gated metric';
  const texts = plotted.map(
    (metric) =>
      `${metricName(metric)} ${changeText(metric, metric.effect?.change ?? 1)}, ${metric.verdict}`,
  );
  return plotFigure(
    {
      title,
      unit: 'new over base',
      aside:
        'Diamonds are changes, lines their 95 % confidence intervals. Inside the shaded band a change is below the minimum effect. Hollow dots are base runs, filled dots new runs.',
      label: `${title}: ${texts.join('; ')}`,
      size: [1040, 46 + plotted.length * 36],
      x: ratioAxis(plotted),
      y: rowAxis(plotted.map(metricName)),
    },
    (pen) => plotted.map((metric, i) => line(metric, i, pen)),
  );
};

const tones = {
  regression: 'bad',
  inconclusive: 'warning',
  improvement: 'good',
  same: 'good',
} as const satisfies Record<ComparisonVerdict, Tone>;

const metricColumns: readonly Column<ComparedMetric>[] = [
  column.name('Metric', ({ label, unit }) => ({ text: label, unit })),
  column.number('Base', (metric) => sideValueText(metric, metric.base.typical)),
  column.number('New', (metric) => sideValueText(metric, metric.next.typical)),
  column.number('Change', (metric) => ({
    text: metric.effect === null ? '–' : changeText(metric, metric.effect.change),
    tone: metric.gated ? tones[metric.verdict] : 'quiet',
  })),
  column.number('95 % interval', changeIntervalText),
  column.number({ title: 'p', spare: 'first' }, pValueText),
  column.number(
    { title: 'Minimum effect', help: 'A smaller change does not count', media: ['html'] },
    minimumEffectText,
  ),
  column.number(
    {
      title: 'Detectable',
      help: 'The smallest change that as many repetitions detect nine times in ten',
      media: ['html'],
    },
    (metric) => unsignedChangeText(metric, metric.effect?.detectable),
  ),
  column.verdict('Verdict', ({ gated, verdict }) => ({
    text: gated ? verdict : '',
    tone: tones[verdict],
  })),
  column.words('Remark', remarkText),
];

const metricTable = (caption: string, metrics: readonly ComparedMetric[]) =>
  table(caption, metricColumns, metrics, {
    groupOf: (metric) => streamText(metric).trim() || 'all traffic',
  });

const shapeColumns: readonly Column<Comparison['shapes'][number]>[] = [
  column.name('Measure', ({ traffic, model, measure }) =>
    [traffic, model, measures[measure].label].filter((word) => word !== null).join(' '),
  ),
  column.number('Distance', ({ distance }) => `${figureText(distance * 100)} %`),
  column.number('Samples, base', ({ samples }) => countText(samples.base)),
  column.number('Samples, new', ({ samples }) => countText(samples.next)),
];

const runColumns: readonly Column<ComparedSide['runs'][number]>[] = [
  column.code('Result', ({ file }) => file),
  column.number('Started', ({ startedAt }) => startedAt),
  column.number('Arrivals', ({ arrivals }) => countText(arrivals)),
  column.verdict('Generator', ({ trust }) => ({ text: trust, tone: trustTones[trust] })),
];

const sideSection = (title: string, side: ComparedSide): Section =>
  section(`${title}: ${side.name}`, [
    text(
      [
        `plan ${side.plan} (${side.planHash.slice(0, 12)})`,
        side.target,
        side.models.join(', ') || 'no model',
        `seed ${side.seed}`,
        plural(side.slices, 'slice'),
        `Weir ${side.weir}`,
      ].join(' · '),
      'quiet',
    ),
    table(`Runs of ${title.toLowerCase()}`, runColumns, side.runs),
  ]);

const shapeText =
  'The largest distance between the distributions of all samples (Kolmogorov-Smirnov). Advisory only: the requests of one run are not independent.';
const methodText =
  'Base and new are geometric means over the repetitions. The change has its 95 % confidence interval; p is from Welch’s test on the logarithms, or Newcombe’s for shares, adjusted (Hochberg) over the gated metrics.';

const definitions = ({ rules }: Comparison): Section => {
  const rule = (name: string): number => rules[name] ?? 0;
  const percent = (name: string): string => String(Number((rule(name) * 100).toPrecision(3)));
  return section('Definitions', [
    text(
      `The unit of evidence is the repetition, not the request: whatever makes a run fast or slow affects all its requests. ${methodText}`,
    ),
    facts(
      Object.entries({
        'Regression, improvement': `p below ${rule('significance')} and a change beyond the minimum effect, for runs that did not take turns also without their drift: ${percent('latencyEffect')} % of a latency and at least ${rule('latencyFloor')} ms (${rule('tokenFloor')} ms for times of single tokens), ${percent('throughputEffect')} % of a throughput, ${percent('rateEffect')} points of a share of failures.`,
        Same: 'An equivalence test: the 90 % interval is inside the minimum effect (two one-sided tests at 5 %). The comparison is the same if its headline figures are: median and p95 of the main latencies, or what --gate names.',
        Inconclusive: `Anything else, and everything with fewer than ${rule('repetitions')} repetitions per side; one run against one is an indication, and a regression only if the 95 % intervals of both runs, widened for requests that share a queue and for ${percent('singleRunNoise')} % noise between runs, are apart by more than the minimum effect.`,
        Detectable: `The smallest change that as many repetitions with this noise would call significant with a probability of ${percent('power')} %.`,
      }),
    ),
  ]);
};

/** Returns whether the load of a run deviated from the plan, or its figures are approximate. */
const hasUncertainRun = ({ runs }: ComparedSide): boolean =>
  runs.some(({ trust }) => trust !== 'valid');

const sideLine = ({ name, target, runs }: ComparedSide): string =>
  `${name}: ${plural(runs.length, 'run')} against ${target}`;

/** Says what to do about a regression and about approximate figures; `null` if there is nothing to do. */
const nextSteps = ({ verdict, base, next }: Comparison): string | null => {
  const steps = present([
    verdict === 'regression' && 'the report of one of the new runs shows where its time goes',
    [base, next].some(hasUncertainRun) &&
      `${whatNowPage} says what to do about approximate figures`,
  ]);
  return steps.length === 0 ? null : `What now: ${steps.join('; ')}.`;
};

export const comparisonDocument = (comparison: Comparison): ReportDocument => {
  const { base, next, metrics, shapes, verdict, overridden, cautions, weir } = comparison;
  const { gated = [], others = [] } = Object.groupBy(metrics, (each) =>
    each.gated ? 'gated' : 'others',
  );
  const shapeTable = table('Distance between base and new', shapeColumns, shapes);
  return {
    weir,
    title: `Comparison of ${next.plan}`,
    description: [`Base ${sideLine(base)}`, `New ${sideLine(next)}`],
    verdict: {
      text: comparisonVerdictText(comparison),
      tone:
        tones[verdict] === 'good' && worseBesides(comparison).length > 0
          ? 'warning'
          : tones[verdict],
    },
    introduction: [
      list([...overridden.map((reason) => `Compared although ${reason}.`), ...cautions]),
      text(nextSteps(comparison)),
    ],
    blocks: [
      section('Gated metrics', [
        picture(() => comparisonPlot(comparison)),
        metricTable('These metrics decide', gated),
      ]),
      only(
        ['terminal', 'html'],
        section('Other metrics', [metricTable('These metrics do not decide', others)]),
      ),
      only(
        ['terminal', 'html'],
        section('Distributions', shapes.length === 0 ? [] : [shapeTable, text(shapeText, 'quiet')]),
      ),
      only(['terminal', 'markdown'], text(methodText, 'quiet')),
      only(['html'], section('Runs', [sideSection('Base', base), sideSection('New', next)])),
      only(['html'], definitions(comparison)),
    ],
    footer: `Compared by Weir ${weir}, ${comparison.comparedAt}.`,
  };
};

const figures = (metric: ComparedMetric): string => {
  const { base, next, unit, effect } = metric;
  const change = effect === null ? 'change unknown' : changeText(metric, effect.change);
  return `${sideValueText(metric, base.typical)} to ${sideValueText(metric, next.typical)} ${unit}, ${change} ${changeIntervalText(metric)}, p ${pValueText(metric)}, minimum effect ${minimumEffectText(metric)}`;
};

const caseOf = (metric: ComparedMetric, strict: boolean): JunitCase => {
  const words = figures(metric);
  const remark = remarkText(metric);
  const outcomes = {
    regression: failed('regression', words, [words, remark].join('\n').trim()),
    inconclusive: strict
      ? failed('inconclusive', `inconclusive: ${remark}`, words)
      : skipped(`inconclusive: ${[words, remark].join('; ')}`),
    improvement: passed,
    same: passed,
  };
  const outcome = outcomes[metric.verdict];
  return { classname: 'comparison', name: metricName(metric), outcome };
};

/**
 * Writes each gated metric as a JUnit test. A regression fails. An undecided metric is skipped, or fails if `strict` is
 * set.
 */
export const comparisonJunit = (comparison: Comparison, strict: boolean): string => {
  const gated = gatedMetrics(comparison);
  return junitFile({
    name: `weir compare ${comparison.next.plan}`,
    startedAt: comparison.comparedAt,
    duration: 0,
    properties: { weir: comparison.weir },
    cases: gated.map((metric) => caseOf(metric, strict)),
    output: [
      comparisonVerdictText(comparison),
      ...gated.map((metric) => `${metricName(metric)}: ${metric.verdict}: ${figures(metric)}`),
    ],
  });
};
