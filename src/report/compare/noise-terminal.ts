import type { Noise, NoiseMetric } from '../../model/noise.ts';
import { plural } from '../number-text.ts';
import { printable } from '../printable.ts';
import { paragraph, screenOf, tableLines } from '../terminal/screen.ts';
import { howToReadNoise, noiseCells, noiseFinding, noiseHead } from './noise-words.ts';

/** The surroundings' noise for a terminal: the finding, then a line for each metric. */
export const noiseTerminal = (
  noise: Noise,
  look: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(look);
  const notes = [
    ...noise.overridden.map((reason) => `Measured although ${reason}.`),
    ...noise.cautions,
  ];
  const table = (title: string, those: readonly NoiseMetric[]): readonly string[] =>
    those.length === 0
      ? []
      : [
          '',
          screen.paint('strong', title),
          ...tableLines(screen, {
            head: ['', ...noiseHead(noise)],
            rows: those.map((metric) => [
              { text: printable(`${metric.id} ${metric.unit}`) },
              ...noiseCells(metric).map((text) => ({ text })),
            ]),
            rightFrom: 1,
          }),
        ];
  return [
    ...paragraph(screen, printable(noiseFinding(noise)), { indent: 0 }),
    ...paragraph(
      screen,
      printable(`${plural(noise.runs.length, 'run')} of ${noise.plan} against ${noise.target}`),
      { indent: 0, style: 'quiet' },
    ),
    ...notes.flatMap((note) => paragraph(screen, printable(note), { indent: 0, style: 'warning' })),
    ...table(
      'Gated',
      noise.metrics.filter(({ gated }) => gated),
    ),
    ...table(
      'Not gated',
      noise.metrics.filter(({ gated }) => !gated),
    ),
    '',
    ...paragraph(screen, howToReadNoise, { indent: 0, style: 'quiet' }),
  ].join('\n');
};
