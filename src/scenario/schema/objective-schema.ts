import { z } from 'zod';
import { durationField, textField, wholeNumberField } from './fields.ts';

/** What a scenario holds its run and its requests to; `objective-rules.ts` reads the texts. */

const error =
  'expected an objective such as "ttft.p95 < 800ms", or a mapping such as {objective: "errorRate < 1%", severity: warn}';

const longForm = z.strictObject(
  {
    objective: textField().describe('The objective, for example ttft.p95{stage=peak} < 800ms.'),
    minSamples: wholeNumberField(1, 1_000_000_000)
      .optional()
      .describe(
        'With fewer samples it fails for want of data. Default: for a percentile so many that ten lie beyond it (p95: 200), for a mean 30, otherwise 1.',
      ),
    severity: z
      .enum(['fail', 'warn'])
      .default('fail')
      .describe('Whether breaking it fails the run (exit 10), or is only told. Default: fail.'),
    abort: z
      .strictObject(
        { after: durationField().describe('From this moment of the run on.') },
        { error: 'expected a mapping such as {after: 30s}' },
      )
      .optional()
      .describe('Ends the run early once this is broken. Default: the run goes on.'),
  },
  { error },
);

const objective = z.union([textField(), longForm], { error });
/** An objective as the scenario gives it. */
export type ScenarioObjective = z.output<typeof objective>;

export const objectivesSchema = z
  .array(objective, { error: 'expected a list of objectives such as "ttft.p95 < 800ms"' })
  .max(200, { error: 'expected at most 200 objectives' });

export const perRequestSchema = z
  .array(textField(), { error: 'expected a list such as ["ttft < 500ms", "e2e < 5s"]' })
  .max(20, { error: 'expected at most 20 objectives of each request' });
