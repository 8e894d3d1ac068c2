import type { Noise, NoiseMetric } from '../../model/series/noise.ts';
import { plural } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import {
  type TableCell,
  paragraph,
  terminalLayout,
  tableLines,
} from '../terminal/terminal-layout.ts';
import {
  howToReadNoise,
  noiseCells,
  noiseFinding,
  noiseHead,
  noiseWarnings,
} from './noise-text.ts';

/** A metric's stream and its name within it: `chat-stream a/b` and `ttft.p95`. */
const partsOf = ({ id }: NoiseMetric): { readonly stream: string; readonly name: string } => {
  const cut = id.lastIndexOf(' ');
  return { stream: cut < 0 ? 'all traffic' : id.slice(0, cut), name: id.slice(cut + 1) };
};

/** The metrics under their stream's title. */
const rows = (metrics: readonly NoiseMetric[]): readonly (readonly TableCell[])[] =>
  [...Map.groupBy(metrics, (metric) => partsOf(metric).stream)].flatMap(([stream, those]) => [
    [{ text: printable(stream), style: 'strong' as const }],
    ...those.map((metric) => [
      { text: `  ${partsOf(metric).name} ${metric.unit}` },
      ...noiseCells(metric).map((text) => ({ text })),
    ]),
  ]);

/** The surroundings' noise for a terminal: the finding, then a line for each metric. */
export const noiseTerminal = (
  noise: Noise,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  const table = (title: string, those: readonly NoiseMetric[]): readonly string[] =>
    those.length === 0
      ? []
      : [
          '',
          layout.paint('strong', title),
          ...tableLines(layout, {
            head: ['', ...noiseHead(noise)],
            rows: rows(those),
            rightFrom: 1,
          }),
        ];
  return [
    ...paragraph(layout, printable(noiseFinding(noise)), { indent: 0 }),
    ...paragraph(
      layout,
      printable(`${plural(noise.runs.length, 'run')} of ${noise.plan} against ${noise.target}`),
      { indent: 0, style: 'quiet' },
    ),
    ...noiseWarnings(noise).flatMap((note) =>
      paragraph(layout, printable(note), { indent: 0, style: 'warning' }),
    ),
    ...table(
      'Gated',
      noise.metrics.filter(({ gated }) => gated),
    ),
    ...table(
      'Not gated',
      noise.metrics.filter(({ gated }) => !gated),
    ),
    '',
    ...paragraph(layout, howToReadNoise, { indent: 0, style: 'quiet' }),
  ].join('\n');
};
