import { canaryErrors } from '../../../model/result/canary.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import type { GeneratorSample, Result } from '../../../model/result/result.ts';
import { chartLines, chartValue, countBins, hasValues, intoBins } from './bins.ts';
import type { Chart } from './chart.ts';
import { lagCharts } from './latency-charts.ts';

/** The signals of the load generator. */

/** The worst value of all slices in a bin. */
const worst =
  (of: (sample: GeneratorSample) => number | null, factor = 1) =>
  (samples: readonly GeneratorSample[]): number | null => {
    const values = samples.flatMap((sample) => of(sample) ?? []);
    return values.length === 0
      ? null
      : chartValue(factor * values.reduce((a, b) => Math.max(a, b)));
  };

const percent = 100;

/** Lag, then the use of event loop and processor, then what blocked the loop. */
export const generatorCharts = (result: Result): readonly Chart[] => {
  const samples = result.slices.flatMap(({ generator }) => generator);
  const lag = lagCharts(result);
  if (samples.length === 0) return lag;
  const bins = countBins(result);
  const parts = intoBins(samples, bins);
  const common = { step: bins.step, drawn: 'joined', marks: [] } as const;
  const busy: Chart = {
    ...common,
    id: 'busy',
    title: 'Event loop and processor',
    unit: '%',
    lines: chartLines(parts, [
      ['loop utilisation', 'p50', worst(({ utilisation }) => utilisation, percent), 'strong'],
      ['CPU of one core', 'p95', worst(({ cpu }) => cpu, percent)],
      ['CPU wait', 'limited', worst(({ cpuWait }) => cpuWait, percent)],
    ]).filter(hasValues),
  };
  const errorP99 = (sample: GeneratorSample): number | null =>
    quantile(canaryErrors([sample]), 0.99)?.value ?? null;
  const pauses: Chart = {
    ...common,
    id: 'pauses',
    title: 'Pauses',
    unit: 'ms',
    lines: chartLines(parts, [
      ['loop delay p99', 'p50', worst(({ delayP99 }) => delayP99), 'strong'],
      ['longest loop delay', 'p95', worst(({ delayMax }) => delayMax), 'dashed'],
      ['longest garbage collection', 'limited', worst(({ gcMax }) => gcMax)],
      ['self-test lateness p99', 'sent', worst(errorP99)],
    ]).filter(hasValues),
  };
  return [...lag, busy, pauses];
};
