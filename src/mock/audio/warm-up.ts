import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { durationOf } from './audio-probe.ts';
import { clipFiles } from './known-clips.ts';

/**
 * Reads one clip of each container, so that the audio library is loaded before the first request: loading it
 * blocks the process for tens of milliseconds and would delay every token. Reading a usual clip then takes 2 ms.
 */
export const warmUpAudio = async (): Promise<void> => {
  const files = await clipFiles();
  for (const file of new Map(files.map((each) => [extname(each.pathname), each])).values()) {
    await durationOf(await readFile(file));
  }
};
