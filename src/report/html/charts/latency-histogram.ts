import type { Histogram } from '../../../model/measures/histogram.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import { axisTo, plotFigure } from '../../document/plot.ts';
import type { Markup } from '../../text/markup.ts';
import { countText, figureText, plural } from '../../text/number-text.ts';
import { binCounts } from './bin-counts.ts';

/** How many answers took how long. */

const bins = 40;
/** A few very slow answers would press all others into the first bins: they are counted instead. */
const drawnShare = 0.99;
/** Fewer samples are better read as single ones. */
const minSamples = 20;

/** What a histogram is of. */
export interface HistogramOptions {
  readonly title: string;
  readonly unit: string;
  /** A class of the style sheet. */
  readonly colour: string;
}

/** Bars of equal width from zero to the p99, or to the maximum if that is little more. `null` for a few samples. */
export const latencyHistogram = (
  { title, unit, colour }: HistogramOptions,
  histogram: Histogram,
): Markup | null => {
  const tail = quantile(histogram, drawnShare);
  if (histogram.count < minSamples || tail === null) return null;
  const most = histogram.max ?? 0;
  const x = axisTo(most < 1.5 * tail.value ? most : tail.value);
  const width = x.ends[1] / bins;
  const counts = binCounts(
    histogram,
    Array.from({ length: bins + 1 }, (_, i) => i * width),
  );
  const beyond = histogram.count - counts.reduce((sum, count) => sum + count, 0);
  const slower =
    beyond === 0
      ? ''
      : `; ${plural(beyond, 'slower one')} up to ${figureText(most)} ${unit} not drawn`;
  return plotFigure(
    {
      title,
      unit,
      aside: `${plural(histogram.count, 'sample')} in steps of ${figureText(width)} ${unit}; at most ${countText(Math.max(...counts))} in one${slower}.`,
      size: [440, 220],
      x,
      y: axisTo(Math.max(...counts)),
    },
    ({ path }) =>
      counts.flatMap((count, i) => {
        const [left, right] = [i * width, (i + 0.92) * width];
        if (count === 0) return [];
        const bar = [
          [left, 0],
          [left, count],
          [right, count],
          [right, 0],
        ] as const;
        return [path(`area bar ${colour}`, bar, 'Z')];
      }),
  );
};
