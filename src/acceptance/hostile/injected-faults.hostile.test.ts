import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectNothingLost, expectNothingLostAtAwaits } from './injected-faults.fixture.ts';

cleanUpAfterEach();

it.each(['ENOSPC', 'EIO', 'SIGKILL', 'SIGINT', 'SIGTERM'])(
  'a run keeps what it measured when %s comes at any of its calls to the file system',
  { timeout: 900_000 },
  async (fault) => {
    const counted = await expectNothingLost(fault, 1);
    expect(counted).toMatch(/^[A-Z]+ at \d+ of \d+ points/);
    console.log(counted);
  },
);

it.each(['SIGKILL', 'SIGINT', 'SIGTERM'])(
  'a run keeps what it measured when %s comes at any place where it waits',
  { timeout: 1_800_000 },
  async (signal) => {
    const counted = await expectNothingLostAtAwaits(signal, 1);
    expect(counted).toMatch(/^[A-Z]+ at \d+ of \d+ awaits/);
    console.log(counted);
  },
);
