import { canaryErrors } from '../../../model/result/canary.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import type { GeneratorSample, Result } from '../../../model/result/result.ts';
import { countBins, intoBins, chartValue } from './bins.ts';
import type { Chart, ChartLine } from './chart.ts';
import { lagChart } from './latency-charts.ts';

/** The signals of the load generator; the worst value of all slices in each bin. */

type Signal = (sample: GeneratorSample) => number | null;

const signalChart = (
  result: Result,
  chart: Pick<Chart, 'id' | 'title' | 'unit'>,
  lines: readonly (Pick<ChartLine, 'label' | 'colour' | 'style'> & { readonly of: Signal })[],
): readonly Chart[] => {
  const samples = result.slices.flatMap(({ generator }) => generator);
  if (samples.length === 0) return [];
  const bins = countBins(result);
  const parts = intoBins(samples, bins);
  const worst = (of: Signal): readonly (number | null)[] =>
    parts.map((part) => {
      const values = part.flatMap((sample) => of(sample) ?? []);
      return values.length === 0 ? null : chartValue(values.reduce((a, b) => Math.max(a, b)));
    });
  return [
    {
      ...chart,
      step: bins.step,
      drawn: 'joined',
      lines: lines
        .map(({ of, ...line }) => ({ ...line, values: worst(of) }))
        .filter(({ values }) => values.some((value) => value !== null)),
      marks: [],
    },
  ];
};

const percent = (value: number | null): number | null => (value === null ? null : value * 100);

/** Lag, then the use of event loop and processor, then what blocked the loop. */
export const generatorCharts = (result: Result): readonly Chart[] => [
  ...[lagChart(result)].flatMap((chart) => chart ?? []),
  ...signalChart(result, { id: 'busy', title: 'Event loop and processor', unit: '%' }, [
    {
      label: 'loop utilisation',
      colour: 'p50',
      style: 'strong',
      of: ({ utilisation }) => percent(utilisation),
    },
    { label: 'CPU of one core', colour: 'p95', style: 'plain', of: ({ cpu }) => percent(cpu) },
    {
      label: 'CPU wait',
      colour: 'limited',
      style: 'plain',
      of: ({ cpuWait }) => percent(cpuWait),
    },
  ]),
  ...signalChart(result, { id: 'pauses', title: 'Pauses', unit: 'ms' }, [
    { label: 'loop delay p99', colour: 'p50', style: 'strong', of: ({ delayP99 }) => delayP99 },
    { label: 'longest loop delay', colour: 'p95', style: 'dashed', of: ({ delayMax }) => delayMax },
    {
      label: 'longest garbage collection',
      colour: 'limited',
      style: 'plain',
      of: ({ gcMax }) => gcMax,
    },
    {
      label: 'measurement error p99',
      colour: 'sent',
      style: 'plain',
      of: (sample) => quantile(canaryErrors([sample]), 0.99)?.value ?? null,
    },
  ]),
];
