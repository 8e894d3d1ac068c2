import type { SettingsInput } from '../mock/settings.ts';
import { mockNodeFlags } from '../platform/mock-process.ts';
import { startOn } from './processes.ts';

/** Starts the process that a run would start, on the first core. */
export const startMock = async (settings: SettingsInput) => {
  const bound = await startOn(0, ['../cli/weir.js', 'mock', '--embedded'], {
    input: JSON.stringify(settings),
    flags: mockNodeFlags,
  });
  const { url, control } = JSON.parse(bound.line) as { url: string; control: string };
  return { bound, url, control };
};
