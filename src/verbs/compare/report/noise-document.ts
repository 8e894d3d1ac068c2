import { type Noise, type NoiseMetric, reportedRepetitions } from '../model/noise.ts';
import {
  column,
  type Column,
  list,
  only,
  type ReportDocument,
  section,
  table,
  type Table,
  text,
} from '../../../report/document/document.ts';
import { plural } from '../../../report/text/number-text.ts';
import { boundsText, unsignedChangeText } from './comparison-text.ts';
import { changeText, sideValueText } from '../../../report/summary/metric-text.ts';

/** Says how much runs differ: the standard deviation. */
const noiseText = ({ noise }: NoiseMetric): string =>
  noise === null ? '–' : `${(noise * 100).toFixed(1)} %`;

const unsteady = 'although nothing changed: this environment is not steady enough.';
const halvesVerdictText = {
  regression: ` The two halves differ like a regression ${unsteady}`,
  improvement: ` The two halves differ like an improvement ${unsteady}`,
  inconclusive: '',
  same: ' The two halves are the same.',
} as const satisfies Record<Noise['verdict'], string>;

/** Returns how many repetitions detect the smallest relevant change; `Infinity` if no number does. */
const repetitionsNeeded = ({ needed }: NoiseMetric): number => needed ?? Number.POSITIVE_INFINITY;

/** Describes the result in one or two sentences, which are about the gated metric that needs the most repetitions. */
const noiseFinding = (noise: Noise): string => {
  const gated = noise.metrics.filter(({ gated: decides, scale }) => decides && scale === 'ratio');
  const [first] = gated.toSorted((a, b) => repetitionsNeeded(b) - repetitionsNeeded(a));
  if (first === undefined)
    return 'No gated metric has enough samples to show how much runs differ.';
  const count = `${gated.length} gated ${gated.length === 1 ? 'latency or throughput' : 'latencies and throughputs'}`;
  const [fewest] = reportedRepetitions;
  if (repetitionsNeeded(first) <= fewest) {
    return `${fewest} repetitions per side detect the minimum effect of ${count} nine times in ten.${halvesVerdictText[noise.verdict]}`;
  }
  const changesText = first.detectable
    .map(({ repetitions, change }) => `${unsignedChangeText(first, change)} with ${repetitions}`)
    .join(', ');
  return `Of ${count}, ${first.id} is the noisiest (${noiseText(first)} from run to run). Nine times in ten it detects a change of ${changesText} repetitions per side.${halvesVerdictText[noise.verdict]}`;
};

/** Returns the two parts of a metric's id, for example `chat-stream a/b` and `ttft.p95`. */
const partsOf = ({ id }: NoiseMetric): { readonly stream: string; readonly name: string } => {
  const cut = id.lastIndexOf(' ');
  return { stream: cut < 0 ? 'all traffic' : id.slice(0, cut), name: id.slice(cut + 1) };
};

const columnsOf = ({ metrics: [first] }: Noise): readonly Column<NoiseMetric>[] => [
  column.name('Metric', (metric) => ({ text: partsOf(metric).name, unit: metric.unit })),
  column.number('Typical', (metric) => sideValueText(metric, metric.typical)),
  column.number('Noise', noiseText),
  column.number('Halves', (metric) => {
    const { change, low, high } = metric;
    return `${changeText(metric, change)} ${boundsText(metric, low, high)}`;
  }),
  ...(first?.detectable ?? []).map(({ repetitions }, i): Column<NoiseMetric> =>
    column.number(`n=${repetitions}`, (metric) =>
      unsignedChangeText(metric, metric.detectable[i]?.change),
    ),
  ),
  column.number('Needed', ({ needed }) => (needed === null ? '>1,000' : String(needed))),
];

export const noiseDocument = (noise: Noise): ReportDocument => {
  const { weir, plan, target, runs, metrics, overridden, cautions } = noise;
  const tableOf = (caption: string, decides: boolean): Table => {
    const shown = metrics.filter(({ gated }) => gated === decides);
    return table(caption, columnsOf(noise), shown, { groupOf: (each) => partsOf(each).stream });
  };
  return {
    weir,
    title: `Noise of ${plan}`,
    description: [`${plural(runs.length, 'run')} of ${plan} against ${target}`],
    verdict: { text: noiseFinding(noise), tone: 'plain' },
    introduction: [
      list([...overridden.map((reason) => `Measured although ${reason}.`), ...cautions]),
    ],
    blocks: [
      section('Gated metrics', [tableOf('These metrics decide in a comparison', true)]),
      only(
        ['terminal', 'html'],
        section('Other metrics', [tableOf('These metrics do not decide', false)]),
      ),
      text(
        'Noise is the standard deviation between runs. Halves compares two halves of the runs (ABBA), with the 95 % interval. n=5 is the smallest change that five repetitions per side detect with a probability of 90 % (2.8 % false alarms over all gated metrics, never less than the minimum effect). Needed is the number of repetitions per side that detects the minimum effect.',
        'quiet',
      ),
    ],
    footer: `Measured by Weir ${weir}, ${noise.measuredAt}.`,
  };
};
