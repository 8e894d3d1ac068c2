import { moneyField, textField } from './fields.ts';
import { z } from 'zod';

/** What chat costs, by model; millionths of the currency’s unit for a million tokens. */
export const pricesSchema = z.record(
  textField(),
  z.strictObject(
    {
      input: moneyField().describe('What a million input tokens cost.'),
      output: moneyField().describe('What a million output tokens cost.'),
    },
    { error: 'expected a price such as {input: 0.15, output: 0.60}' },
  ),
  { error: 'expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}' },
);
