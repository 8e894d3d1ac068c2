import { z } from 'zod';
import { mockSettingsSchema } from '../model/mock-settings.ts';
import { type Milliseconds, unitOf } from '../model/quantity.ts';
import { length, lengthOrNone } from './field.ts';
import { formatDuration } from './notation.ts';

/**
 * What a scenario may say of the reference gateway is everything that the gateway can be told, in the
 * notation of scenarios: lengths of time with their unit, `none` for no limit, nothing unknown. It is
 * derived from the gateway's own schema, so that a new setting there needs no line here.
 */

const isLength = (schema: z.core.$ZodType): boolean => unitOf(schema) === 'ms';

type Kind = z.core.$ZodTypeDef['type'];
type Translation = (schema: never) => z.ZodType;

/** Rules about a whole mapping or list, which hold in either notation; a check is a rule about values of any type. */
const checksOf = <T>({ def }: z.ZodType): z.core.$ZodCheck<T>[] =>
  (def.checks ?? []) as unknown as z.core.$ZodCheck<T>[];

const whole = (schema: z.ZodObject): z.ZodType =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries(schema.shape as Record<string, z.core.$ZodType>).map(([name, field]) => [
          name,
          inScenario(field),
        ]),
      ),
    )
    .check(...checksOf<Record<string, unknown>>(schema));

const nullable = (schema: z.ZodNullable): z.ZodType => {
  const inner = schema.unwrap();
  if (isLength(inner)) return lengthOrNone();
  return z
    .union([inScenario(inner), z.literal('none')])
    .transform((value) => (value === 'none' ? null : value));
};

const withDefault = (schema: z.ZodDefault | z.ZodPrefault): z.ZodType => {
  const inner = schema.unwrap();
  const { defaultValue } = schema.def;
  if (isLength(inner)) return length().prefault(formatDuration(defaultValue as Milliseconds));
  const isNone = defaultValue === null;
  return isNone ? inScenario(inner).prefault('none') : inScenario(inner).prefault(defaultValue);
};

const same = (schema: z.ZodType): z.ZodType => schema;

/** How each kind of schema is written; what is missing here cannot be a setting. */
const translations: Partial<Record<Kind, Translation>> = {
  object: whole,
  nullable,
  default: withDefault,
  prefault: withDefault,
  optional: (schema: z.ZodOptional) => inScenario(schema.unwrap()).optional(),
  array: (schema: z.ZodArray) =>
    z.array(inScenario(schema.element)).check(...checksOf<unknown[]>(schema)),
  union: (schema: z.ZodUnion) =>
    z.union(schema.options.map(inScenario) as [z.ZodType, ...z.ZodType[]]),
  enum: same,
  literal: same,
  string: same,
  boolean: same,
  number: same,
};

/** The same field as a scenario writes it, with what is said of it. */
const inScenario = (schema: z.core.$ZodType): z.ZodType => {
  const field = schema as z.ZodType;
  const translate = translations[field.def.type];
  if (translate === undefined) throw new Error(`no scenario notation for ${field.def.type}`);
  const written = isLength(field) ? length() : translate(field as never);
  return field.description === undefined ? written : written.describe(field.description);
};

/** The `mock` of a scenario; prices are the scenario's own. */
export const mockSchema = inScenario(mockSettingsSchema.omit({ prices: true }));
