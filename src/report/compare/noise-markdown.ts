import type { Noise } from '../../model/series/noise.ts';
import { markdownTable, boundedMarkdown } from '../markdown/markdown-text.ts';
import { plural } from '../text/number-text.ts';
import {
  howToReadNoise,
  noiseCells,
  noiseFinding,
  noiseHead,
  noiseWarnings,
} from './noise-text.ts';

/** The surroundings' noise for a step summary on GitHub: the finding, then a table of the gated metrics. */
export const noiseMarkdown = (noise: Noise): string => {
  const rows = noise.metrics
    .filter(({ gated }) => gated)
    .map((metric) => [`${metric.id} ${metric.unit}`, ...noiseCells(metric)].map(boundedMarkdown));
  return [
    `### Noise of ${boundedMarkdown(noise.plan)}`,
    '',
    boundedMarkdown(noiseFinding(noise)),
    '',
    `${plural(noise.runs.length, 'run')} against ${boundedMarkdown(noise.target)}`,
    '',
    ...noiseWarnings(noise).flatMap((note) => [`> ${boundedMarkdown(note)}`, '']),
    markdownTable(['metric', ...noiseHead(noise)], rows, 1),
    '',
    howToReadNoise,
    '',
  ].join('\n');
};
