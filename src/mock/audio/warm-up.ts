import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { durationOf } from './duration.ts';
import { clipFiles } from './known-clips.ts';

/**
 * Reads one clip of each container, so that what reads audio is loaded before the first request: to
 * load it holds the process up for tens of milliseconds, in which every token would be late; to read
 * a usual clip then takes two.
 */
export const warmUpAudio = async (): Promise<void> => {
  const files = await clipFiles();
  for (const file of new Map(files.map((each) => [extname(each.pathname), each])).values()) {
    await durationOf(await readFile(file));
  }
};
