// @long 90 s
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectNothingLost } from './injected-faults.fixture.ts';

cleanUpAfterEach();

it.each(['ENOSPC', 'SIGKILL', 'SIGINT'])(
  'a run keeps what it measured when %s comes at some of its calls to the file system',
  { timeout: 300_000 },
  async (fault) => {
    await expect(expectNothingLost(fault, 6)).resolves.toMatch(/^[A-Z]+ at \d+ of \d+ points/);
  },
);
