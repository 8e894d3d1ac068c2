import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import { partTestOf, type PartTest, unsupportedIn } from './json-schema.ts';
import { randomJsonValue } from './json-value.ts';

/** A schema that answers must obey, and its test. */
interface TestedSchema {
  readonly schema: unknown;
  readonly obeys: PartTest;
}

/** A schema that answers must obey, and one value that does. */
export interface StructuredFormat extends TestedSchema {
  readonly sample: unknown;
}

const maxAttempts = 8;

const findValue = (draw: Draw, { schema, obeys }: TestedSchema): { value: unknown } | null => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const value = randomJsonValue(draw, schema, obeys);
    if (obeys(value, schema)) return { value };
  }
  return null;
};

/** Checks a schema that a request has at `place`; refuses it if the gateway cannot promise to obey it. */
export const readStructuredFormat = (place: string, schema: unknown): StructuredFormat => {
  const problem = unsupportedIn(schema);
  const tested = problem === null ? { schema, obeys: partTestOf(schema) } : null;
  const found = tested === null ? null : findValue(drawFrom(1), tested);
  if (tested !== null && found !== null) return { ...tested, sample: found.value };
  const why = problem ?? 'the reference gateway found no value that obeys it';
  throw new RequestRefusal('invalid-parameter', `Invalid ${place}: ${why}.`);
};

/** Draws a value that obeys the schema. */
export const structuredValue = (draw: Draw, format: StructuredFormat): unknown => {
  const found = findValue(draw, format);
  return found === null ? format.sample : found.value;
};
