import { z } from 'zod';
import { count } from '../measures/counts.ts';
import { serverFigureNames } from '../measures/server-figures.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';

const serverSampleSchema = z.strictObject({
  /** When the request for the metrics was sent. The server read its counters between this instant and `received`. */
  sent: instantSchema,
  received: instantSchema,
  /**
   * The values in the units of their figures. The keys are the names in `serverFigures` and the names of the figures
   * that the scenario defines. A figure that the server does not report is absent.
   */
  values: z.record(z.string(), z.number()),
});
export type ServerSample = z.infer<typeof serverSampleSchema>;

/**
 * The maximum number of stored samples. A longer run stores every other sample, then every fourth sample, and so on.
 */
export const maxServerSamples = 7200;

export const serverMetricsSchema = z.strictObject({
  address: z.string(),
  /** The server's software, recognised by the names of its metrics; `null` if unknown. */
  software: z.string().nullable(),
  /** The time between two stored samples. */
  every: millisecondsSchema,
  /** How often the server's metrics were requested, and how often this failed. */
  scrapes: count,
  failed: count,
  lastFailure: z.string().nullable(),
  /** How often a counter was lower than in the reading before, for example after a restart of the server. */
  resets: count,
  samples: z.array(serverSampleSchema).max(maxServerSamples),
});
export type ServerMetrics = z.infer<typeof serverMetricsSchema>;

export const momentOf = ({ sent, received }: ServerSample): number => (sent + received) / 2;

/** Returns the samples between two instants, in ms. */
export const serverSamplesIn = (
  { samples }: ServerMetrics,
  from: number,
  to: number,
): readonly ServerSample[] =>
  samples.filter((sample) => momentOf(sample) >= from && momentOf(sample) <= to);

export const serverValuesOf = (samples: readonly ServerSample[], name: string): readonly number[] =>
  samples.flatMap(({ values }) => values[name] ?? []);

/** Returns the names of the figures in some samples, in the order that tables use. */
export const serverFiguresRead = (samples: readonly ServerSample[]): readonly string[] => {
  const present = new Set(samples.flatMap(({ values }) => Object.keys(values)));
  const known = serverFigureNames.filter((name) => present.has(name));
  return [...known, ...[...present].filter((name) => !known.some((each) => each === name))];
};
