import { z } from 'zod';
import { type Milliseconds } from '../../model/quantity.ts';
import { unitOf } from '../../model/quantity-schema.ts';
import { durationNotation, formatDuration } from '../../scenario/schema/notation.ts';
import { withEachValue } from '../../scenario/text/scenario-tree.ts';
import {
  branchesOf,
  branchFor,
  type Schema,
  schemaInside,
} from '../../scenario/text/schema-walk.ts';

/**
 * This file converts settings between internal units and the notation of scenarios: `5ms` for 5, `none` for null. The
 * schema of the internal form says which values are durations and which may be absent.
 */

interface LeafTranslation {
  readonly length: (value: unknown) => unknown;
  readonly nullable: (value: unknown) => unknown;
}

const translate = (schema: Schema | undefined, value: unknown, leaf: LeafTranslation): unknown => {
  if (schema === undefined) return value;
  if (unitOf(schema) === 'ms') return leaf.length(value);
  if (schema instanceof z.ZodNullable) {
    const read = leaf.nullable(value);
    return read === value ? translate(schema.unwrap(), value, leaf) : read;
  }
  const [only, ...others] = branchesOf(schema);
  if (others.length === 0 && only !== schema) return translate(only, value, leaf);
  const branch = branchFor(schema, value);
  return withEachValue(value, (inner, step) => translate(schemaInside(branch, step), inner, leaf));
};

/**
 * Converts settings from the notation to internal units. Values that cannot be read, or are already converted, stay as
 * they are.
 */
export const parseSettings = (schema: Schema, written: unknown): unknown =>
  translate(schema, written, {
    length: (value) =>
      typeof value === 'string' ? (durationNotation.read(value) ?? value) : value,
    nullable: (value) => (value === 'none' ? null : value),
  });

/** Converts settings to the notation of scenarios. */
export const formatSettings = (schema: Schema, plain: unknown): unknown =>
  translate(schema, plain, {
    length: (value) => (typeof value === 'number' ? formatDuration(value as Milliseconds) : value),
    nullable: (value) => (value === null ? 'none' : value),
  });
