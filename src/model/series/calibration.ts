import { z } from 'zod';
import { transportNames } from '../observation/exchange.ts';
import { sliceRunSchema } from '../result/result.ts';

/**
 * A calibration runs many loads, and compares the instants that each run recorded with the instants that the gateway
 * recorded. It finds the errors of the following measures.
 */

export const calibratedMeasures = ['ttft', 'gap', 'endToEnd'] as const;
export type CalibratedMeasure = (typeof calibratedMeasures)[number];

const measurementErrorSchema = z.strictObject({
  n: z.int().positive(),
  /** The percentiles of the error, in ms. */
  p50: z.number().nonnegative(),
  p99: z.number().nonnegative(),
  max: z.number().nonnegative(),
});
export type MeasurementError = z.infer<typeof measurementErrorSchema>;

const cellSchema = z.strictObject({
  /** The number of concurrent streams, and the number of tokens per second of each stream. */
  streams: z.int().positive(),
  tokensPerSecond: z.number().positive(),
  transport: z.enum(transportNames),
  workers: z.int().positive(),
  /** How many answers were compared: those after the warm-up that both Weir and the gateway recorded. */
  answers: z.int().positive(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** Sentences about the signals that make the load generator invalid. Empty for a valid load generator. */
  complaints: z.array(z.string()),
  errors: z.strictObject({
    ttft: measurementErrorSchema,
    gap: measurementErrorSchema,
    endToEnd: measurementErrorSchema,
  }),
});
export type CalibrationCell = z.infer<typeof cellSchema>;

export const calibrationSchema = z.strictObject({
  format: z.literal('calibration/1'),
  weir: z.string(),
  calibratedAt: z.iso.datetime(),
  machine: sliceRunSchema.shape.machine,
  cells: z.array(cellSchema),
});
export type Calibration = z.infer<typeof calibrationSchema>;
