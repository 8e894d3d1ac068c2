import { checkJsonSchema } from '../../model/check/check-report.ts';
import { capacityJsonSchema } from '../../model/series/capacity.ts';
import { sweepJsonSchema } from '../../model/series/sweep.ts';
import { resultJsonSchema } from '../../model/result/result.ts';
import { writeText } from '../../platform/files/plain-files.ts';
import { scenarioJsonSchema } from '../../scenario/schema/scenario-schema.ts';

/** The published JSON Schemas and their places in a checkout. */
export const schemas = {
  scenario: { make: scenarioJsonSchema, path: 'scenarios/schema.json' },
  result: { make: resultJsonSchema, path: 'reports/result.schema.json' },
  check: { make: checkJsonSchema, path: 'reports/check.schema.json' },
  sweep: { make: sweepJsonSchema, path: 'reports/sweep.schema.json' },
  capacity: { make: capacityJsonSchema, path: 'reports/capacity.schema.json' },
} as const;

/** The text of a published schema. */
export const schemaText = (subject: keyof typeof schemas): string =>
  `${JSON.stringify(schemas[subject].make(), null, 1)}\n`;

/** Writes all published schemas to their places below the current folder. */
export const writeSchemas = async (say: (text: string) => void): Promise<void> => {
  for (const subject of Object.keys(schemas) as (keyof typeof schemas)[]) {
    await writeText(schemas[subject].path, schemaText(subject));
    say(`written: ${schemas[subject].path}`);
  }
};
