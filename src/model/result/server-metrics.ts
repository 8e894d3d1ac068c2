import { z } from 'zod';
import { count } from '../measures/counts.ts';
import { serverFigureNames } from '../measures/server-figures.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';

const serverSampleSchema = z.strictObject({
  /** When the request for the metrics was sent. The server read its counters between this instant and the answer. */
  sent: instantSchema,
  received: instantSchema,
  /**
   * The values in the units of their figures. The keys are the names in `serverFigures` and the names of the scenario's
   * own figures. A figure that the server does not report is absent.
   */
  values: z.record(z.string(), z.number()),
});
export type ServerSample = z.infer<typeof serverSampleSchema>;

/**
 * The maximum number of samples that are kept. A longer run keeps every second sample, then every fourth, and so on.
 */
export const maxServerSamples = 7200;

export const serverMetricsSchema = z.strictObject({
  address: z.string(),
  /** The server's software, as the names of its metrics show; `null` if unknown. */
  software: z.string().nullable(),
  /** The time between two kept samples. */
  every: millisecondsSchema,
  /** The number of requests for the metrics, and how many of them failed. */
  scrapes: count,
  failed: count,
  lastFailure: z.string().nullable(),
  /** The number of readings in which a counter had dropped, as after a restart. */
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
