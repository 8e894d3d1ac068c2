import { type Settings, settingsSchema } from '../mock/settings.ts';
import { writeSettings } from '../scenario/settings-notation.ts';

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What needs no quotes on a command line has none. */
const bare = /^[\w./:-]+$/;

const written = (value: unknown): string =>
  typeof value === 'string' && bare.test(value) ? value : JSON.stringify(value);

const differences = (before: unknown, after: unknown, path: string): readonly string[] => {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isGroup(before) || !isGroup(after)) return [`${path}=${written(after)}`];
  return Object.keys(after).flatMap((name) =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
};

/** The behaviour that is not the default, as `path=value` each, in the notation of scenarios. */
export const differingSettings = (settings: Settings): readonly string[] => {
  const { host, port, controlPort, keys } = settings;
  const usual = settingsSchema.parse({ host, port, controlPort, keys });
  return differences(
    writeSettings(settingsSchema, usual),
    writeSettings(settingsSchema, settings),
    '',
  );
};
