import { expect, it } from 'vitest';
import { sampleVerdict } from '../../report/fixtures/sample-verdict.fixture.ts';
import { exitCode, exitMeaning } from '../../run/output/exit-codes.ts';
import { ownExitLines, type RunExit } from './own-exits.ts';

const run = (
  folder: string,
  exit: RunExit['exit'],
  verdicts: RunExit['result']['verdicts'] = [],
): RunExit => ({ folder, exit, result: { verdicts, partial: null } });

it('names why a series ends with the exit code of a run, though its comparison says the same', () => {
  const unsure = sampleVerdict({ text: 'errorRate < 1%', ruling: 'pass', grounds: 'unsure' });
  const broken = sampleVerdict({ text: 'ttft.p95 < 1ms', ruling: 'fail', grounds: 'broken' });
  expect(
    ownExitLines([
      run('new/1', 'inconclusive', [sampleVerdict(), unsure]),
      run('new/2', 'objective', [broken, unsure]),
      run('new/3', 'pass'),
      run('new/4', 'invalid'),
      run('new/5', 'inconclusive'),
      run('new/6', 'violated'),
    ]),
  ).toEqual([
    '4 of 6 runs have exit codes of their own, whatever the comparison says:',
    '  new/1: 13, not sure, which --strict does not let pass: errorRate < 1%.',
    '  new/2: 10, not kept: ttft.p95 < 1ms.',
    '  new/5: 13, the judged limits are undecided, which --strict does not let pass.',
    '  new/6: 14, a limit is violated.',
  ]);
  expect(ownExitLines([run('new/1', 'pass'), run('new/2', 'unwritten')])).toEqual([
    '1 of 2 runs has an exit code of its own, whatever the comparison says:',
    `  new/2: ${exitCode('unwritten')}, ${exitMeaning('unwritten')}.`,
  ]);
  expect(ownExitLines([run('new/1', 'pass'), run('new/2', 'empty')])).toEqual([]);
});
