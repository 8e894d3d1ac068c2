import { z } from 'zod';
import {
  durationField,
  mapping,
  optionalField,
  textField,
  wholeNumberField,
  wordField,
} from './fields.ts';

/**
 * This file contains the schema of objectives of a run, and of objectives of single requests. `objective-rules.ts`
 * reads the texts of objectives.
 */

const example =
  'an objective such as "ttft.p95 < 800ms", or a mapping such as {objective: "errorRate < 1%", severity: warn}';

const abort = () =>
  mapping('a mapping such as {after: 30s}', {
    after: durationField().describe('The time in the run from which the objective is checked.'),
  });

const longForm = () =>
  mapping(example, {
    objective: textField().describe('The objective, for example ttft.p95{stage=peak} < 800ms.'),
    minSamples: optionalField(wholeNumberField(1, 1_000_000_000)).describe(
      'With fewer samples the objective fails. Default: for a percentile enough for ten samples beyond it (p95: 200), for a mean 30, otherwise 1.',
    ),
    severity: wordField(['fail', 'warn'], 'fail').describe(
      'Whether a broken objective fails the run (exit 10) or is only reported. Default: fail.',
    ),
    quota: optionalField(z.enum(['excluded'])).describe(
      'Leaves 429s that a declared limit explains out of what was due, as {quota=excluded} in the text does. Default: they count as failures.',
    ),
    abort: optionalField(abort()).describe(
      'Ends the run early when the objective is broken. Default: the run goes on.',
    ),
  });

/**
 * Each use of this field needs a separate schema. With a shared schema, editors would report a mistake several times.
 */
const objective = () => z.union([textField(), longForm()], `expected ${example}`);
export type ScenarioObjective = z.output<ReturnType<typeof objective>>;

export const objectivesField = () =>
  z
    .array(objective(), 'expected a list of objectives such as "ttft.p95 < 800ms"')
    .max(200, 'expected at most 200 objectives')
    .prefault([]);

export const perRequestSchema = z
  .array(textField(), 'expected a list such as ["ttft < 500ms", "e2e < 5s"]')
  .max(20, 'expected at most 20 objectives for each request')
  .prefault([]);
