import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectNothingLostAtAwaits } from './injected-faults.fixture.ts';

cleanUpAfterEach();

it.each(['SIGKILL', 'SIGINT'])(
  'a run keeps what it measured when %s comes at some of the places where it waits',
  { timeout: 300_000 },
  async (signal) => {
    const counted = await expectNothingLostAtAwaits(signal, 40);
    expect(counted).toMatch(/^[A-Z]+ at \d+ of \d+ awaits/);
    console.log(counted);
  },
);
