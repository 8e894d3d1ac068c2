import { z } from 'zod';
import { count } from '../measures/counts.ts';
import { serverFigureNames } from '../measures/server-figures.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';

const serverSampleSchema = z.strictObject({
  /** When the request for the metrics was sent. The server counted at some moment until they arrived. */
  sent: instantSchema,
  received: instantSchema,
  /**
   * The values by the names of `serverFigures` and of the scenario's own figures, in their units. Figures that the
   * server does not report are absent.
   */
  values: z.record(z.string(), z.number()),
});
export type ServerSample = z.infer<typeof serverSampleSchema>;

/** The maximum number of samples. A longer run keeps every second sample, then every fourth, and so on. */
export const maxServerSamples = 7200;

export const serverMetricsSchema = z.strictObject({
  address: z.string(),
  /** The software that the names of the metrics show; `null` if unknown. */
  software: z.string().nullable(),
  /** The time between two samples that are kept. */
  every: millisecondsSchema,
  /** `scrapes` is the number of requests for the metrics, `failed` the number of those that failed. */
  scrapes: count,
  failed: count,
  lastFailure: z.string().nullable(),
  /** The number of readings in which a counter had fallen, as after a restart. */
  resets: count,
  samples: z.array(serverSampleSchema).max(maxServerSamples),
});
export type ServerMetrics = z.infer<typeof serverMetricsSchema>;

export const momentOf = ({ sent, received }: ServerSample): number => (sent + received) / 2;

/** Returns the samples from one instant to another, in ms. */
export const serverSamplesIn = (
  { samples }: ServerMetrics,
  from: number,
  to: number,
): readonly ServerSample[] =>
  samples.filter((sample) => momentOf(sample) >= from && momentOf(sample) <= to);

export const serverValuesOf = (samples: readonly ServerSample[], name: string): readonly number[] =>
  samples.flatMap(({ values }) => values[name] ?? []);

/** Returns the names of the figures in some samples, in the order of tables. */
export const serverFiguresRead = (samples: readonly ServerSample[]): readonly string[] => {
  const present = new Set(samples.flatMap(({ values }) => Object.keys(values)));
  const known = serverFigureNames.filter((name) => present.has(name));
  return [...known, ...[...present].filter((name) => !known.some((each) => each === name))];
};
