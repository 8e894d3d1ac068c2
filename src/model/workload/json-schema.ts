import { createRequire } from 'node:module';
import type * as draft7 from 'ajv';
import type * as draft2020 from 'ajv/dist/2020.js';
import type * as formats from 'ajv-formats';

/** Returns how a value violates a schema, without quoting the value; `null` if the value satisfies the schema. */
export type SchemaTest = (value: unknown) => string | null;

const load = createRequire(import.meta.url);

/**
 * Loads a JSON Schema validator that ignores unknown keywords. Loading the validator takes 50 ms, so only runs with a
 * schema load the validator.
 */
export const openAjv = (isDraft7: boolean, options: draft7.Options = {}): draft7.Ajv => {
  const all = { strict: false, logger: false, ...options } as const;
  const ajv: draft7.Ajv = isDraft7
    ? new (load('ajv') as typeof draft7).Ajv(all)
    : new (load('ajv/dist/2020.js') as typeof draft2020).Ajv2020(all);
  (load('ajv-formats') as (typeof formats)['default']).default(ajv);
  return ajv;
};

const errorText = ({ instancePath, message = 'is wrong' }: draft7.ErrorObject): string =>
  `${instancePath === '' ? 'it' : instancePath} ${message}`;

const isDraft7 = (schema: object): boolean =>
  '$schema' in schema && /draft-0?[4-7]\b/.test(String(schema.$schema));

/**
 * The message about a schema that refers to itself without end. Such a schema is only detected when a value is tested.
 */
const endlessSchema = 'it cannot be checked: the schema refers to itself without an end';

/**
 * Compiles a JSON Schema by the rules of 2020-12, or by the rules of draft 7 if the schema names draft 7. Returns an
 * error text if the schema is invalid.
 */
export const compileJsonSchema = (schema: boolean | object): SchemaTest | string => {
  try {
    const ajv = openAjv(typeof schema === 'object' && isDraft7(schema));
    const validate = ajv.compile(schema);
    // The keyword `$async` is an extension of Ajv. A validator for a schema with this keyword returns a promise.
    if ('$async' in validate) return 'the keyword "$async" is not supported';
    return (value) => {
      try {
        return validate(value) ? null : errorText(validate.errors![0]!);
      } catch (error) {
        if (error instanceof RangeError) return endlessSchema;
        throw error;
      }
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
