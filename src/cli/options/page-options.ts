import { pathToFileURL } from 'node:url';
import type { LivePageRequest } from '../../run/input/run-request.ts';
import { inGroup, switchOption, textOption, UsageProblem } from './define-verb.ts';

export const openOption = inGroup('Output:', {
  open: switchOption('Open the report in a browser; with --live the live page'),
});

export const liveOption = inGroup('Output:', {
  live: textOption(
    'Serve the report while the run is under way, at PORT of 127.0.0.1 or any free one',
  ),
});

/**
 * Rewrites `--live` without a value as `--live=0`, which means any free port. Otherwise, the parser would take the next
 * word, such as the scenario, as the value.
 */
export const completeLive = (words: readonly string[]): string[] =>
  words.map((word, i) =>
    word === '--live' && !/^\d+$/.test(words[i + 1] ?? '') ? '--live=0' : word,
  );

type Warn = (text: string) => void;

const show = async (address: string, warn: Warn): Promise<void> => {
  // Imported only here, since every command line loads this file, and Node takes 10 ms to load the modules that start
  // processes.
  const { openSystemBrowser } = await import('../../platform/process/open-in-browser.ts');
  const problem = await openSystemBrowser(address);
  if (problem !== null) warn(problem);
};

export const openReport = (path: string, warn: Warn): Promise<void> =>
  show(pathToFileURL(path).href, warn);

export const livePageFrom = (
  { live, open }: { readonly live: string | undefined; readonly open: boolean },
  warn: Warn,
): LivePageRequest | undefined => {
  if (live === undefined) return undefined;
  const port = /^\d{1,5}$/.test(live) ? Number(live) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new UsageProblem(`--live: expected a port from 0 to 65535 or nothing, got "${live}"`);
  }
  return {
    port,
    onAddress: (address) => {
      // The address is printed even with --quiet, since nobody could guess the address.
      warn(`Live page: ${address} (for this machine only; its button stops the run)`);
      if (open) void show(address, warn);
    },
  };
};
