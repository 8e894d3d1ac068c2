// @gate 2 s
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openFolderRendezvous } from './folder-rendezvous.ts';
import { silentClockTest } from './rendezvous-suite.fixture.ts';

silentClockTest('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-rendezvous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return () => openFolderRendezvous(folder);
});
