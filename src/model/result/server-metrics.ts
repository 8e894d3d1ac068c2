import { z } from 'zod';
import { count } from '../measures/counts.ts';
import { serverFigureNames } from '../measures/server-figures.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';

const serverSampleSchema = z.strictObject({
  /** The interval in which the server counted: from the request for its metrics to their arrival. */
  sent: instantSchema,
  received: instantSchema,
  /** By the names of `serverFigures` and the scenario’s own, in their units. What the server does not say is absent. */
  values: z.record(z.string(), z.number()),
});
export type ServerSample = z.infer<typeof serverSampleSchema>;

/** A longer run keeps every second sample, then every fourth, and so on. */
export const maxServerSamples = 7200;

export const serverMetricsSchema = z.strictObject({
  address: z.string(),
  /** The software whose names its metrics have; `null` if unknown. */
  software: z.string().nullable(),
  /** Between two samples that are kept. */
  every: millisecondsSchema,
  /** Requests for the metrics, and those that failed. */
  scrapes: count,
  failed: count,
  lastFailure: z.string().nullable(),
  /** Readings in which a counter had fallen, as after a restart. */
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
