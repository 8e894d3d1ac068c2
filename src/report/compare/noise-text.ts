import { type Noise, type NoiseMetric, reportedRepetitions } from '../../model/series/noise.ts';
import { changeText, sideValueText } from './comparison-text.ts';

/** What an environment's noise comes to, in words that its terminal and Markdown forms share. */

/** A size without a direction. */
const unsignedChangeText = (metric: NoiseMetric, change: number): string =>
  changeText(metric, change).replace('+', '±');

/** How much one run differs from the next: the standard deviation. */
const noiseText = ({ noise }: NoiseMetric): string =>
  noise === null ? '–' : `${(noise * 100).toFixed(1)} %`;

/** A metric's line: the figure, its noise, what was seen between the halves, and what can be seen. */
export const noiseCells = (metric: NoiseMetric): readonly string[] => {
  const bare = (value: number): string => changeText(metric, value).replace(/ (%|pt)$/, '');
  const { change, low, high, detectable, needed } = metric;
  return [
    sideValueText(metric, metric.typical),
    noiseText(metric),
    `${changeText(metric, change)} [${bare(low)}, ${bare(high)}]`,
    ...detectable.map((each) => unsignedChangeText(metric, each.change)),
    needed === null ? '>1,000' : String(needed),
  ];
};

/** The heads of those cells. */
export const noiseHead = ({ metrics: [first] }: Noise): readonly string[] => [
  'typical',
  'noise',
  'halves',
  ...(first?.detectable ?? []).map(({ repetitions }) => `n=${repetitions}`),
  'needed',
];

const halvesVerdictText = {
  regression:
    ' The two halves differ as if there were a regression, and nothing was changed: these surroundings are not steady enough.',
  improvement:
    ' The two halves differ as if something had improved, and nothing was changed: these surroundings are not steady enough.',
  inconclusive: '',
  same: ' The two halves are the same.',
} as const satisfies Record<Noise['verdict'], string>;

/** Repetitions that see the minimum effect; infinitely many where no number does. */
const repetitionsNeeded = ({ needed }: NoiseMetric): number => needed ?? Number.POSITIVE_INFINITY;

/** The finding in a sentence or two, from the gated metric that needs the most repetitions. */
export const noiseFinding = (noise: Noise): string => {
  const gated = noise.metrics.filter(({ gated: decides, scale }) => decides && scale === 'ratio');
  const [first] = gated.toSorted((a, b) => repetitionsNeeded(b) - repetitionsNeeded(a));
  if (first === undefined) return 'No gated metric has the samples to tell how much runs differ.';
  const count = `${gated.length} gated ${gated.length === 1 ? 'latency or throughput' : 'latencies and throughputs'}`;
  const [fewest] = reportedRepetitions;
  if (repetitionsNeeded(first) <= fewest) {
    return `${fewest} repetitions a side see the minimum effect of ${count} nine times in ten.${halvesVerdictText[noise.verdict]}`;
  }
  const changesText = first.detectable
    .map(
      ({ repetitions, change }) => `${unsignedChangeText(first, change)} at ${repetitions} a side`,
    )
    .join(', ');
  return `Of ${count} ${first.id} is the noisiest (${noiseText(first)} from run to run): nine times in ten it shows a change of ${changesText}.${halvesVerdictText[noise.verdict]}`;
};

/** What the reader of the finding must know. */
export const noiseWarnings = ({ overridden, cautions }: Noise): readonly string[] => [
  ...overridden.map((reason) => `Measured although ${reason}.`),
  ...cautions,
];

/** How to read the figures. */
export const howToReadNoise =
  'Noise is one run’s standard deviation. Halves are the runs by turns, ABBA, held against each other, with the 95 % interval. n=5 is the smallest change that five repetitions a side see with a chance of 90 % (5 % of false alarms over all gated metrics, never less than the minimum effect); needed are the repetitions a side that see the minimum effect itself.';
