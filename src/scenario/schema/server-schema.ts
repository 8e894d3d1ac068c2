import { z } from 'zod';
import { serverFigureNames } from '../../model/measures/server-figures.ts';
import { durationField, mapping, nameField, textField, withDefault, wordField } from './fields.ts';
import { metricsAddressProblem } from './wire-schema.ts';

/** This file contains the schema of `server`, which says how a server's own metrics are read. */

const metricsField = textField().superRefine((text, context) => {
  const problem = metricsAddressProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const shortestInterval = 100;

const everyField = durationField().refine((length) => length >= shortestInterval, {
  error: `expected at least ${shortestInterval}ms`,
});

const figure = mapping('a mapping with "name" and "metric"', {
  name: nameField(60)
    .refine((name) => /^[A-Za-z]\w*$/.test(name), {
      error: 'expected a letter, then letters, digits and _',
    })
    .refine((name) => !(serverFigureNames as readonly string[]).includes(name), {
      error: 'a figure of this name is read already',
    })
    .describe('The name of this figure in reports and objectives.'),
  metric: z
    .string('expected the name of a metric')
    .regex(/^[A-Za-z_:][\w:]*$/, 'expected the name of a metric, without labels')
    .describe('The metric as the server names it; the values of all its labels are added up.'),
  as: wordField(['gauge', 'rate'], 'gauge').describe(
    'Whether its value counts, or, of a counter, its increase per second.',
  ),
});

export const serverSchema = mapping('a mapping with "metrics"', {
  metrics: metricsField.describe(
    'The address of the metrics, such as http://host:8000/metrics, or a path at the target, such as /metrics. No key is sent there.',
  ),
  every: withDefault(everyField, '1s').describe('The time between two readings.'),
  figures: z
    .array(figure, 'expected a list of figures, each with "name" and "metric"')
    .max(20, 'expected at most 20 figures')
    .optional()
    .transform((figures) => figures ?? [])
    .describe('Further figures, from metrics that Weir does not know. Default: none.'),
});
