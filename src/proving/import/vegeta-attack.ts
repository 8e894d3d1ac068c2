import { join } from 'node:path';
import { installed } from '../harness/installed.ts';
import { fetchPackages, outputOf } from '../harness/program-output.ts';

/** Sends the targets of a file with vegeta itself, one after another, at an even rate. Throws `Unavailable` without Go. */
export const attackWithVegeta = async (
  { targets, format }: { readonly targets: string; readonly format: 'http' | 'json' },
  { rate, duration }: { readonly rate: string; readonly duration: string },
): Promise<void> => {
  const folder = await installed({
    name: 'vegeta',
    files: { 'go.mod': 'import/go.mod', 'go.sum': 'import/go.sum' },
    install: (into) =>
      fetchPackages(into, 'go', ['go', 'build', '-o', 'vegeta', 'github.com/tsenart/vegeta/v12']),
  });
  const load = [`-rate=${rate}`, `-duration=${duration}`, '-max-workers=4'];
  const words = [
    'attack',
    `-targets=${targets}`,
    `-format=${format}`,
    '-output=/dev/null',
    ...load,
  ];
  await outputOf(join(folder, 'vegeta'), words);
};
