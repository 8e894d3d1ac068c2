import { z } from 'zod';
import { transportNames } from '../observation/exchange.ts';
import { sliceRunSchema } from '../result/result.ts';

/** The measurement error of a machine over a grid of loads: recorded instants, compared with the gateway's own. */

export const calibratedMeasures = ['ttft', 'gap', 'endToEnd'] as const;
export type CalibratedMeasure = (typeof calibratedMeasures)[number];

const measurementErrorSchema = z.strictObject({
  n: z.int().positive(),
  /** In ms. */
  p50: z.number().nonnegative(),
  p99: z.number().nonnegative(),
  max: z.number().nonnegative(),
});
export type MeasurementError = z.infer<typeof measurementErrorSchema>;

const cellSchema = z.strictObject({
  /** Concurrent streams, and the tokens per second of each. */
  streams: z.int().positive(),
  tokensPerSecond: z.number().positive(),
  transport: z.enum(transportNames),
  workers: z.int().positive(),
  /** Answers that both sides recorded, after the warm-up. */
  answers: z.int().positive(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** The signals of the generator that were not valid. */
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
