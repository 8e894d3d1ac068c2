import { writeFile } from 'node:fs/promises';
import { resultJsonSchema } from '../../model/result/result.ts';
import { scenarioJsonSchema } from '../../scenario/schema/scenario-schema.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { toStderr, toStdout } from '../../platform/standard-streams.ts';

/** The published JSON Schemas and where they stand in a checkout. */
export const schemas = {
  scenario: { make: scenarioJsonSchema, path: 'scenarios/schema.json' },
  result: { make: resultJsonSchema, path: 'reports/result.schema.json' },
} as const;

/** The text of a published schema. */
export const schemaText = (subject: keyof typeof schemas): string =>
  `${JSON.stringify(schemas[subject].make(), null, 2)}\n`;

/** Prints a published JSON Schema. */
export const printSchema = (subject: keyof typeof schemas): ExitName => {
  toStdout(schemaText(subject));
  return 'pass';
};

/** Writes all published schemas to their places below the current folder. */
export const writeSchemas = async (): Promise<ExitName> => {
  for (const subject of Object.keys(schemas) as (keyof typeof schemas)[]) {
    await writeFile(schemas[subject].path, schemaText(subject));
    toStderr(`written: ${schemas[subject].path}`);
  }
  return 'pass';
};
