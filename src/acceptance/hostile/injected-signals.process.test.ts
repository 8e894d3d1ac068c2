// @long 70 s
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectNothingLostAtAwaits } from './injected-faults.fixture.ts';

cleanUpAfterEach();

it.each(['SIGKILL', 'SIGINT'])(
  'a run keeps what it measured when %s comes at some of the places where it waits',
  { timeout: 300_000 },
  async (signal) => {
    await expect(expectNothingLostAtAwaits(signal, 25)).resolves.toMatch(
      /^[A-Z]+ at \d+ of \d+ awaits/,
    );
  },
);
