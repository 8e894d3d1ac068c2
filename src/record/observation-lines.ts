import { misfitPlaces } from '../model/misfit-places.ts';
import {
  type ObservationsHeader,
  type Observation,
  observationSchema,
  observationsHeaderSchema,
} from '../model/observation/observation.ts';

/** Formats the first line of an observations file, without the line feed. */
export const observationsHeader = (header: Omit<ObservationsHeader, 'format'>): string => {
  const { weir, planHash, runId, startedAt, machineZero } = header;
  return JSON.stringify({
    format: 'observations/1',
    weir,
    planHash,
    runId,
    startedAt,
    machineZero,
  });
};

/**
 * Formats an observation as a line, without the line feed. Numbers have full precision, so every figure can be computed
 * again exactly.
 */
export const observationLine = (observation: Observation): string =>
  JSON.stringify(observation, (_, value: unknown) =>
    value instanceof Float64Array ? Array.from(value) : value,
  );

export type ParsedLine<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

type Issues = readonly { readonly path: readonly PropertyKey[] }[];
interface LineSchema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { readonly issues: Issues } };
}

const parseLine = <T>(line: string, schema: LineSchema<T>, expected: string): ParsedLine<T> => {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    const start = line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line;
    return {
      ok: false,
      message: `Expected ${expected}, as JSON on one line; got ${JSON.stringify(start)}`,
    };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  const places = misfitPlaces(parsed.error.issues);
  return { ok: false, message: `Expected ${expected}; check ${places}` };
};

/** Reads the first line of an observations file; returns a problem if the line is invalid. */
export const readObservationsHeader = (line: string): ParsedLine<ObservationsHeader> =>
  parseLine(line, observationsHeaderSchema, 'the header of an observations/1 file');

/** Reads one of the further lines of an observations file; returns a problem if the line is invalid. */
export const readObservation = (line: string): ParsedLine<Observation> =>
  parseLine(line, observationSchema, 'an observation of format observations/1');
