import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { type Result, resultSchema } from '../../model/result/result.ts';

const schemaFile = new URL('../../../reports/result.schema.json', import.meta.url);

let published: ValidateFunction | undefined;

/** The validator of the schema that programs of others have: the file, not what it is made from. */
const compiled = (): ValidateFunction => {
  const ajv = new Ajv2020({ allErrors: true });
  formatsPlugin.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
};

/** The text of a `result.json` as a result. Throws unless it has a summary and the published schema accepts it. */
export const publishedResult = (text: string): Result => {
  const value: unknown = JSON.parse(text);
  published ??= compiled();
  if (!published(value)) {
    const said = (published.errors ?? [])
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath}: ${message}`);
    throw new Error(`the published schema refuses the result: ${said.join('; ')}`);
  }
  const result = resultSchema.parse(value);
  if (result.summary === undefined) throw new Error('the result has no summary');
  return result;
};
