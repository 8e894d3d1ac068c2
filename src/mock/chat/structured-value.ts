import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import { obeys, startWalk, unsupportedIn } from './json-schema.ts';
import { randomJsonValue } from './json-value.ts';

/** A schema that answers must obey, and one value that does. */
export interface StructuredFormat {
  readonly schema: unknown;
  readonly sample: unknown;
}

const maxAttempts = 8;

const findValue = (draw: Draw, schema: unknown): { readonly value: unknown } | null => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const value = randomJsonValue(draw, schema);
    if (obeys(value, schema, startWalk(schema))) return { value };
  }
  return null;
};

/** Checks a schema that a request has at `place`; refuses it if the gateway cannot promise to obey it. */
export const readStructuredFormat = (place: string, schema: unknown): StructuredFormat => {
  const problem = unsupportedIn(schema);
  const found = problem === null ? findValue(drawFrom(1), schema) : null;
  if (found !== null) return { schema, sample: found.value };
  const why = problem ?? 'the reference gateway found no value that obeys it';
  throw new RequestRefusal('invalid-parameter', `Invalid ${place}: ${why}.`);
};

/** Draws a value that obeys the schema. */
export const structuredValue = (draw: Draw, { schema, sample }: StructuredFormat): unknown => {
  const found = findValue(draw, schema);
  return found === null ? sample : found.value;
};
