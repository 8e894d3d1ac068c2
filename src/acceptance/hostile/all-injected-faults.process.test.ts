// @full 1500 s: faults at every call and every await
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectNothingLost, expectNothingLostAtAwaits } from './injected-faults.fixture.ts';

cleanUpAfterEach();

it.each(['ENOSPC', 'EIO', 'SIGKILL', 'SIGINT', 'SIGTERM'])(
  'a run keeps what it measured when %s comes at any of its calls to the file system',
  { timeout: 900_000 },
  async (fault) => {
    await expect(expectNothingLost(fault, 1)).resolves.toMatch(/^[A-Z]+ at \d+ of \d+ points/);
  },
);

it.each(['SIGKILL', 'SIGINT', 'SIGTERM'])(
  'a run keeps what it measured when %s comes at any place where it waits',
  { timeout: 1_800_000 },
  async (signal) => {
    await expect(expectNothingLostAtAwaits(signal, 1)).resolves.toMatch(
      /^[A-Z]+ at \d+ of \d+ awaits/,
    );
  },
);
