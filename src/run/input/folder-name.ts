import { join } from 'node:path';
import { wallClock } from '../../platform/host/clock.ts';

/** The folder that the user named, or `reports/2026-11-20T23-40-05Z-quickstart`, which sorts by time and is valid on every file system. */
export const folderFor = (out: string | undefined, name: string): string => {
  if (out !== undefined) return out;
  const time = wallClock().replace(/\.\d+/, '').replaceAll(':', '-');
  const safe = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return join('reports', `${time}-${safe || 'run'}`);
};
