import { z } from 'zod';
import type { Milliseconds } from '../../model/quantity.ts';
import { unitOf } from '../../model/quantity-schema.ts';
import { durationNotation, formatDuration } from '../../scenario/schema/notation.ts';
import { withEachValue } from '../../scenario/text/scenario-tree.ts';
import {
  branchesOf,
  branchFor,
  type Schema,
  schemaInside,
} from '../../scenario/text/schema-walk.ts';
import { type Settings, settingsSchema } from '../../mock/settings/settings.ts';

/**
 * This file converts values between internal units and the notation of scenarios: 5 becomes `5ms`, null becomes `none`.
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

/** Converts settings from the notation of scenarios to internal units. Values that cannot be read stay unchanged. */
export const parseSettings = (schema: Schema, written: unknown): unknown =>
  translate(schema, written, {
    length: (value) =>
      typeof value === 'string' ? (durationNotation.read(value) ?? value) : value,
    nullable: (value) => (value === 'none' ? null : value),
  });

export const formatSettings = (schema: Schema, plain: unknown): unknown =>
  translate(schema, plain, {
    length: (value) => (typeof value === 'number' ? formatDuration(value as Milliseconds) : value),
    nullable: (value) => (value === null ? 'none' : value),
  });

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Matches values that need no quotes on a command line. */
const needsNoQuotes = /^[\w./:-]+$/;

const quoted = (value: unknown): string =>
  typeof value === 'string' && needsNoQuotes.test(value) ? value : JSON.stringify(value);

const differences = (before: unknown, after: unknown, path: string): readonly string[] => {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isGroup(before) || !isGroup(after)) return [`${path}=${quoted(after)}`];
  return Object.keys(after).flatMap((name) =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
};

/** Returns the settings that differ from the defaults, each as `path=value` in the notation of scenarios. */
export const nonDefaultSettings = (settings: Settings): readonly string[] => {
  const { host, port, controlPort, keys } = settings;
  const defaults = settingsSchema.parse({ host, port, controlPort, keys });
  return differences(
    formatSettings(settingsSchema, defaults),
    formatSettings(settingsSchema, settings),
    '',
  );
};
