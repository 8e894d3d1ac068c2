import type { Noise } from '../../model/noise.ts';
import { markdownTable, plainText } from '../markdown/markdown-text.ts';
import { plural } from '../number-text.ts';
import {
  howToReadNoise,
  noiseCells,
  noiseFinding,
  noiseHead,
  noiseWarnings,
} from './noise-words.ts';

/** The surroundings' noise for a step summary on GitHub: the finding, then a table of the gated metrics. */
export const noiseMarkdown = (noise: Noise): string => {
  const rows = noise.metrics
    .filter(({ gated }) => gated)
    .map((metric) => [`${metric.id} ${metric.unit}`, ...noiseCells(metric)].map(plainText));
  return [
    `### Noise of ${plainText(noise.plan)}`,
    '',
    plainText(noiseFinding(noise)),
    '',
    `${plural(noise.runs.length, 'run')} against ${plainText(noise.target)}`,
    '',
    ...noiseWarnings(noise).flatMap((note) => [`> ${plainText(note)}`, '']),
    markdownTable(['metric', ...noiseHead(noise)], rows, 1),
    '',
    howToReadNoise,
    '',
  ].join('\n');
};
