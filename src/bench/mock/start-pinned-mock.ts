import type { SettingsInput } from '../../mock/settings/settings.ts';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { startPinned } from '../harness/pinned-processes.ts';

/** Starts the process that a run would start, on the first core. */
export const startPinnedMock = async (settings: SettingsInput) => {
  const bound = await startPinned(0, ['../../cli/weir.js', 'mock', '--embedded'], {
    input: JSON.stringify(settings),
    flags: mockNodeFlags,
  });
  const { url, control } = JSON.parse(bound.line) as { url: string; control: string };
  return { bound, url, control };
};
