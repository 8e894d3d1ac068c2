import type {
  ComparedMetric,
  ComparedSide,
  Comparison,
  ComparisonVerdict,
} from '../../model/series/comparison.ts';
import { measures } from '../../model/measures/measures.ts';
import {
  type Column,
  list,
  picture,
  type ReportDocument,
  section,
  type Section,
  table,
  text,
  type Tone,
  trustTones,
} from '../document/document.ts';
import { countText, figureText, plural } from '../text/number-text.ts';
import { comparisonPlot } from './comparison-plot.ts';
import {
  changeIntervalText,
  changeText,
  comparisonVerdictText,
  gatedMetrics,
  minimumEffectText,
  pValueText,
  remarkText,
  sideValueText,
  streamText,
} from './comparison-text.ts';

const tones = {
  regression: 'bad',
  inconclusive: 'warning',
  improvement: 'good',
  same: 'good',
} as const satisfies Record<ComparisonVerdict, Tone>;

const metricColumns: readonly Column<ComparedMetric>[] = [
  { title: 'Metric', holds: 'name', cell: ({ label, unit }) => ({ text: label, unit }) },
  { title: 'Base', holds: 'number', cell: (metric) => sideValueText(metric, metric.base.typical) },
  { title: 'New', holds: 'number', cell: (metric) => sideValueText(metric, metric.next.typical) },
  {
    title: 'Change',
    holds: 'number',
    cell: ({ effect, scale, gated, verdict }) => ({
      text: effect === null ? '–' : changeText({ scale }, effect.change),
      tone: gated ? tones[verdict] : 'quiet',
    }),
  },
  { title: '95 % interval', holds: 'number', cell: changeIntervalText },
  { title: 'p', holds: 'number', cell: pValueText },
  {
    title: 'Minimum effect',
    help: 'A smaller change does not count',
    holds: 'number',
    media: ['html'],
    cell: minimumEffectText,
  },
  {
    title: 'Detectable',
    help: 'The smallest change that as many repetitions detect nine times in ten',
    holds: 'number',
    media: ['html'],
    cell: ({ scale, effect }) =>
      typeof effect?.detectable === 'number'
        ? changeText({ scale }, effect.detectable).replace('+', '±')
        : '–',
  },
  {
    title: 'Verdict',
    holds: 'verdict',
    cell: ({ gated, verdict }) => ({ text: gated ? verdict : '', tone: tones[verdict] }),
  },
  { title: 'Remark', holds: 'words', cell: remarkText },
];

const metricTable = (caption: string, metrics: readonly ComparedMetric[]) =>
  table(caption, metricColumns, metrics, {
    groupOf: (metric) => streamText(metric).trim() || 'all traffic',
  });

const shapeColumns: readonly Column<Comparison['shapes'][number]>[] = [
  {
    title: 'Measure',
    holds: 'name',
    cell: ({ traffic, model, measure }) =>
      [traffic, model, measures[measure].label].filter((word) => word !== null).join(' '),
  },
  { title: 'Distance', holds: 'number', cell: ({ distance }) => `${figureText(distance * 100)} %` },
  {
    title: 'Samples, base',
    holds: 'number',
    cell: ({ samples }) => countText(samples.base),
  },
  { title: 'Samples, new', holds: 'number', cell: ({ samples }) => countText(samples.next) },
];

const runColumns: readonly Column<ComparedSide['runs'][number]>[] = [
  { title: 'Result', holds: 'code', cell: ({ file }) => file },
  { title: 'Started', holds: 'number', cell: ({ startedAt }) => startedAt },
  { title: 'Arrivals', holds: 'number', cell: ({ arrivals }) => countText(arrivals) },
  {
    title: 'Generator',
    holds: 'verdict',
    cell: ({ trust }) => ({ text: trust, tone: trustTones[trust] }),
  },
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

const methodText =
  'Base and new are geometric means over the repetitions. The change has its 95 % confidence interval; p is from Welch’s test on the logarithms, or Newcombe’s for shares, adjusted (Holm) over the gated metrics.';

const definitions = ({ rules }: Comparison): Section => {
  const percent = (name: string): string =>
    String(Number(((rules[name] ?? 0) * 100).toPrecision(3)));
  const rule = (name: string): number => rules[name] ?? 0;
  return section(
    'Definitions',
    [
      text(
        `The unit of evidence is the repetition, not the request: whatever makes a run fast or slow affects all its requests. ${methodText}`,
      ),
      {
        kind: 'facts',
        rows: [
          [
            'Regression, improvement',
            `p below ${rule('alpha')} and a change beyond the minimum effect: ${percent('latencyEffect')} % of a latency and at least ${rule('latencyFloor')} ms (${rule('tokenFloor')} ms for times of single tokens), ${percent('throughputEffect')} % of a throughput, ${percent('rateEffect')} points of a share of failures.`,
          ],
          ['Same', 'The whole confidence interval is inside the minimum effect.'],
          [
            'Inconclusive',
            `Anything else, and everything with fewer than ${rule('repetitions')} repetitions per side; one run against one counts as a regression beyond ${rule('indicativeRatio')} times.`,
          ],
          [
            'Detectable',
            `The smallest change that as many repetitions with this noise would call significant with a probability of ${percent('power')} %.`,
          ],
        ],
      },
    ],
    { media: ['html'] },
  );
};

const sideLine = ({ name, target, runs }: ComparedSide): string =>
  `${name}: ${plural(runs.length, 'run')} against ${target}`;

/** Two sets of runs compared: the verdict, the metrics that decide, then those that do not. */
export const comparisonDocument = (comparison: Comparison): ReportDocument => {
  const { base, next, metrics, shapes, verdict, overridden, cautions, weir } = comparison;
  return {
    weir,
    title: `Comparison of ${next.plan}`,
    description: [`Base ${sideLine(base)}`, `New ${sideLine(next)}`],
    verdict: { text: comparisonVerdictText(comparison), tone: tones[verdict] },
    introduction: [
      list([...overridden.map((reason) => `Compared although ${reason}.`), ...cautions]),
    ],
    blocks: [
      section('Gated metrics', [
        picture(() => comparisonPlot(comparison)),
        metricTable('These metrics decide', gatedMetrics(comparison)),
      ]),
      section(
        'Other metrics',
        [
          metricTable(
            'These metrics do not decide',
            metrics.filter(({ gated }) => !gated),
          ),
        ],
        { media: ['terminal', 'html'] },
      ),
      section(
        'Distributions',
        [
          table('Distance between base and new', shapeColumns, shapes),
          text(
            shapes.length === 0
              ? ''
              : 'The largest distance between the distributions of all samples (Kolmogorov-Smirnov). Advisory only: the requests of one run are not independent.',
            'quiet',
          ),
        ],
        { media: ['terminal', 'html'] },
      ),
      text(methodText, 'quiet', ['terminal', 'markdown']),
      section('Runs', [sideSection('Base', base), sideSection('New', next)], { media: ['html'] }),
      definitions(comparison),
    ],
    footer: `Compared by Weir ${weir}, ${comparison.comparedAt}.`,
  };
};
