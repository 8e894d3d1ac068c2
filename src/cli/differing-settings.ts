import { type Settings, settingsSchema } from '../mock/settings.ts';

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const differences = (before: unknown, after: unknown, path: string): readonly string[] => {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isGroup(before) || !isGroup(after)) return [`${path}=${JSON.stringify(after)}`];
  return Object.keys(after).flatMap((name) =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
};

/** The behaviour that is not the default, as `path=value` each; lengths of time in milliseconds. */
export const differingSettings = (settings: Settings): readonly string[] => {
  const { host, port, controlPort, keys } = settings;
  return differences(settingsSchema.parse({ host, port, controlPort, keys }), settings, '');
};
