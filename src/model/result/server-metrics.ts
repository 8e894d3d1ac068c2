import { z } from 'zod';
import { count } from '../measures/counts.ts';
import { serverFigureNames } from '../measures/server-figures.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';

/** What a run has read of the server’s own metrics. */

const serverSampleSchema = z.strictObject({
  /** The interval in which the server counted: when the request was sent, and when its answer had arrived. */
  sent: instantSchema,
  received: instantSchema,
  /** By the names of `model/measures/server-figures.ts` and the scenario’s own, each in its unit; what the server does not say is absent. */
  values: z.record(z.string(), z.number()),
});
export type ServerSample = z.infer<typeof serverSampleSchema>;

/** A longer run keeps every second sample, then every fourth, and so on. */
export const maxServerSamples = 7200;

export const serverMetricsSchema = z.strictObject({
  address: z.string(),
  /** Whose names its metrics have; `null` if none are known. */
  software: z.string().nullable(),
  /** The time between two samples that are kept. */
  every: millisecondsSchema,
  /** Requests for the metrics, and those that gave nothing. */
  scrapes: count,
  failed: count,
  /** Why the last of those failed. */
  lastFailure: z.string().nullable(),
  /** Readings in which a counter had fallen, as after a restart of the server. */
  resets: count,
  samples: z.array(serverSampleSchema).max(maxServerSamples),
});
export type ServerMetrics = z.infer<typeof serverMetricsSchema>;

/** The moment that a sample stands for. */
export const momentOf = ({ sent, received }: ServerSample): number => (sent + received) / 2;

/** The samples between two instants in ms, both ends included. */
export const serverSamplesIn = (
  { samples }: ServerMetrics,
  from: number,
  to: number,
): readonly ServerSample[] =>
  samples.filter((sample) => momentOf(sample) >= from && momentOf(sample) <= to);

/** The values of a figure in some samples. */
export const serverValuesOf = (samples: readonly ServerSample[], name: string): readonly number[] =>
  samples.flatMap(({ values }) => values[name] ?? []);

/** The names of the figures that were read, in the order of tables. */
export const serverFiguresRead = (samples: readonly ServerSample[]): readonly string[] => {
  const present = new Set(samples.flatMap(({ values }) => Object.keys(values)));
  const known = serverFigureNames.filter((name) => present.has(name));
  return [...known, ...[...present].filter((name) => !known.some((each) => each === name))];
};
