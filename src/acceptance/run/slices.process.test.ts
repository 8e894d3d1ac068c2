import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { observationsHeaderSchema } from '../../model/observation/observation.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  startWeir,
  tempFile,
  tempFolder,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = `
name: sliced
traffic: [{ kind: models }]
load: { kind: constant, rate: 60/s, duration: 1s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

const instantIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('slices on several machines', () => {
  it('that a launcher numbers begin at one instant, and merge into the whole run', async () => {
    const mock = await openMock({ limits: { requestsPerMinute: null } });
    const command = ['run', await tempFile('s.yaml', scenario), '--target', mock.url];
    const home = await tempFolder();
    const observationsOf = (index: number): string => join(home, `${index}.jsonl`);
    // Long enough for three processes to start one after the other on a busy machine.
    const start = instantIn(12_000);
    const ended = await Promise.all(
      [0, 1, 2].map((index) =>
        weirProcess(
          [
            ...command,
            '--slice',
            'auto',
            '--start-at',
            start,
            '--out',
            join(home, String(index)),
            '--observations',
            observationsOf(index),
          ],
          { JOB_COMPLETION_INDEX: String(index), WEIR_SLICES: '3', WEIR_API_KEY: 'sk-weir-test' },
        ),
      ),
    );
    expect(ended.map(({ code, stderr }) => ({ code, said: code === 3 ? '' : stderr }))).toEqual(
      ended.map(() => ({ code: 3, said: '' })),
    );
    const incomplete = await weir([
      'merge',
      join(home, '0'),
      join(home, '2'),
      '--out',
      join(home, 'two'),
    ]);
    expect(incomplete.code).toBe(3);
    expect(incomplete.stdout).toContain('1/3');
    const merged = await weir([
      'merge',
      ...[0, 1, 2].map((n) => join(home, String(n))),
      '--out',
      home,
    ]);
    const whole = await resultIn(home);
    expect(merged.code).toBe(exitOf(whole, 0));
    expect(whole.slices.map(({ index, count }) => `${index}/${count}`)).toEqual([
      '0/3',
      '1/3',
      '2/3',
    ]);
    const starts = whole.slices.map(({ startedAt }) => Date.parse(startedAt));
    for (const at of starts) expect(Math.abs(at - Date.parse(start))).toBeLessThanOrEqual(5);
    // On the clock that the processes share, by which the requests are due.
    const zeros = await Promise.all(
      [0, 1, 2].map(async (index) => {
        const [head = ''] = (await readFile(observationsOf(index), 'utf8')).split('\n');
        return observationsHeaderSchema.parse(JSON.parse(head)).machineZero;
      }),
    );
    expect(Math.max(...zeros) - Math.min(...zeros)).toBeLessThanOrEqual(5);
    expect(sumOutcomes(whole.groups)).toMatchObject({ completed: 60 });
    expect(await countersOf(mock)).toMatchObject({ completed: 60 });
  }, 60_000);

  it('that would begin too late send nothing', async () => {
    const out = join(await tempFolder(), 'late');
    const file = await tempFile('s.yaml', scenario);
    const start = instantIn(-5000);
    const { code, stderr } = await weir(['run', file, '--start-at', start, '--out', out]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/--start-at: \S+Z was \d.* ago by this machine’s clock/),
    });
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('that are stopped while they wait send nothing and leave no files', async () => {
    const out = join(await tempFolder(), 'waiting');
    const file = await tempFile('s.yaml', scenario);
    const start = instantIn(600_000);
    const waiting = startWeir(['run', file, '--start-at', start, '--out', out]);
    const { child, ended, waitForOutput } = waiting;
    await waitForOutput('Everything is ready; the load begins at ');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('stopped by SIGINT before the load began'),
    });
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });
});
