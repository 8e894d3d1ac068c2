import { z } from 'zod';
import { type Milliseconds, unitOf } from '../../model/quantity.ts';
import { durationNotation, formatDuration } from './notation.ts';

/**
 * Converts settings between internal units and the notation of scenarios: `5ms` for 5, `none` for
 * null. The schema of the internal form says which values are durations and which may be absent.
 */

interface LeafTranslation {
  readonly length: (value: unknown) => unknown;
  readonly nullable: (value: unknown) => unknown;
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const translateGroup = (schema: z.ZodObject, value: unknown, leaf: LeafTranslation): unknown => {
  const shape: Readonly<Record<string, z.core.$ZodType | undefined>> = schema.shape;
  if (!isGroup(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, field === undefined ? inner : translate(field, inner, leaf)];
    }),
  );
};

const translate = (schema: z.core.$ZodType, value: unknown, leaf: LeafTranslation): unknown => {
  if (unitOf(schema) === 'ms') return leaf.length(value);
  if (schema instanceof z.ZodNullable) {
    const read = leaf.nullable(value);
    return read === value ? translate(schema.unwrap(), value, leaf) : read;
  }
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return translate(schema.unwrap(), value, leaf);
  }
  if (schema instanceof z.ZodObject) return translateGroup(schema, value, leaf);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => translate(schema.element, item, leaf));
  }
  if (schema instanceof z.ZodUnion) {
    const group = schema.options.find((option) => option instanceof z.ZodObject);
    return group === undefined ? value : translateGroup(group, value, leaf);
  }
  return value;
};

/** Settings with everything that is written in the notation in its own unit; what cannot be read, or is in it already, stays as it is. */
export const parseSettings = (schema: z.core.$ZodType, written: unknown): unknown =>
  translate(schema, written, {
    length: (value) =>
      typeof value === 'string' ? (durationNotation.read(value) ?? value) : value,
    nullable: (value) => (value === 'none' ? null : value),
  });

/** Settings as a scenario writes them. */
export const formatSettings = (schema: z.core.$ZodType, plain: unknown): unknown =>
  translate(schema, plain, {
    length: (value) => (typeof value === 'number' ? formatDuration(value as Milliseconds) : value),
    nullable: (value) => (value === null ? 'none' : value),
  });
