import { expect, it } from 'vitest';
import { durationOf, warmUpAudio } from './audio-probe.ts';
import { clipFiles } from './known-clips.ts';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

it('there is a readable clip of each container to warm up with', async () => {
  const files = await clipFiles();
  expect(new Set(files.map(({ pathname }) => extname(pathname)))).toEqual(
    new Set(['.mp3', '.m4a', '.wav', '.webm', '.ogg']),
  );
  await warmUpAudio();
  for (const file of files) expect(await durationOf(await readFile(file))).toBeGreaterThan(1);
});
