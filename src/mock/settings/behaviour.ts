import { z } from 'zod';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';

/** How the mock behaves: the settings that can change while it runs, without addresses, keys and seed. */
export type Behaviour = z.output<typeof mockSettingsSchema>;

const behaviourFields = Object.keys(mockSettingsSchema.shape) as readonly (keyof Behaviour)[];

export const behaviourOf = (settings: Behaviour): Behaviour =>
  Object.fromEntries(behaviourFields.map((field) => [field, settings[field]])) as Behaviour;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Groups are merged field by field; everything else is replaced. */
const merge = (before: unknown, change: unknown): unknown =>
  isRecord(before) && isRecord(change)
    ? {
        ...before,
        ...Object.fromEntries(
          Object.entries(change).map(([name, value]) => [name, merge(before[name], value)]),
        ),
      }
    : change;

/** The changed behaviour, or an error message. */
export const changeBehaviour = (
  before: Behaviour,
  change: unknown,
): { readonly behaviour: Behaviour } | { readonly problem: string } => {
  const parsed = mockSettingsSchema.safeParse(merge(before, change));
  if (parsed.success) return { behaviour: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
  );
  return { problem: `The settings are unchanged: ${problems.join('; ')}.` };
};
