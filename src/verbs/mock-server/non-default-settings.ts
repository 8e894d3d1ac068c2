import { type Settings, settingsSchema } from '../../mock/settings/settings.ts';
import { formatSettings } from './settings-notation.ts';

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds quotes only where the command line needs them. */
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

/** The settings that differ from the defaults, each as `path=value` in the notation of scenarios. */
export const nonDefaultSettings = (settings: Settings): readonly string[] => {
  const { host, port, controlPort, keys } = settings;
  const defaults = settingsSchema.parse({ host, port, controlPort, keys });
  return differences(
    formatSettings(settingsSchema, defaults),
    formatSettings(settingsSchema, settings),
    '',
  );
};
