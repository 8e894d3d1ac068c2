import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { startWeir, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const long = 'run --target mock --kind chat-stream --model a/b --rate 40/s --duration 60s'.split(
  ' ',
);

interface Cut {
  readonly slice: number;
  readonly until: number;
}

const cutsIn = async (file: string): Promise<readonly Cut[]> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => /^\{"slice":\d+,"until"/.test(line) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Cut);
};

/** How many requests ended before the last cut of their slice. */
const endedBefore = async (file: string, cuts: readonly Cut[]): Promise<number> => {
  const [, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const until = new Map(cuts.map((cut) => [cut.slice, cut.until]));
  return lines
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as { index: number; ended: number })
    .filter(({ index, ended }) => ended < until.get(index % cuts.length)!).length;
};

describe('a run that is killed', () => {
  it.each(['1', '2'])(
    'leaves a checkpoint whose report has every request that ended before its last cut: %s workers',
    async (workers) => {
      const out = await tempFolder();
      const [file, observations] = [join(out, 'checkpoint.jsonl'), join(out, 'observations.jsonl')];
      const { child, ended, waitForOutput } = startWeir([
        ...long,
        '--workers',
        workers,
        '--out',
        out,
        '--observations',
        observations,
      ]);
      await waitForOutput('Ctrl-C ends it early');
      const began = performance.now();
      await vi.waitFor(async () => expect(await cutsIn(file)).toHaveLength(Number(workers)), {
        timeout: 30_000,
      });
      child.kill('SIGKILL');
      await ended;
      const lasted = performance.now() - began;
      expect(await readdir(out)).toEqual(['.weir-lock', 'checkpoint.jsonl', 'observations.jsonl']);
      const cuts = await cutsIn(file);
      for (const { until } of cuts) expect(lasted - until).toBeLessThan(10_000);
      // A line that was cut off by the kill.
      await writeFile(file, '{"groups":[{"la', { flag: 'a' });

      const { code, stdout, stderr } = await weir(['report', out]);
      expect(stderr).toContain('report.html');
      const seconds = Math.floor(Math.min(...cuts.map(({ until }) => until)) / 1000);
      expect(seconds).toBeGreaterThanOrEqual(5);
      const said = stdout.replaceAll(/\s+/g, ' ');
      expect(said).toContain(`killed; the figures cover the first ${seconds} s`);
      expect(await readFile(join(out, 'report.html'), 'utf8')).toContain(
        'killed; the figures cover the first',
      );
      const result = await resultIn(out);
      const outcomes = sumOutcomes(result.groups);
      const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      expect(all).toBeGreaterThan(100);
      expect(all).toBe(await endedBefore(observations, cuts));
      expect(result.slices).toHaveLength(Number(workers));
      for (const { generator } of result.slices) expect(generator.length).toBeGreaterThanOrEqual(4);
      expect(code).toBe(3);
      expect((await weir(['report', file, '--quiet'])).code).toBe(code);
    },
  );

  it('removes the checkpoint when it ends well, and that of an earlier run', async () => {
    const out = await tempFolder();
    await writeFile(join(out, 'checkpoint.jsonl'), 'of another run\n');
    await weir(['run', '--target', 'mock', '--kind', 'models', '--iterations', '1', '--out', out]);
    expect(await readdir(out)).toEqual(['report.html', 'result.json']);
  });

  it('has no report if it was killed before its first cut, and says so', async () => {
    const out = await tempFolder();
    const { child, ended, waitForOutput } = startWeir([...long, '--out', out]);
    await waitForOutput('Ctrl-C ends it early');
    await vi.waitFor(
      async () => expect(await readFile(join(out, 'checkpoint.jsonl'), 'utf8')).toContain('\n'),
      { timeout: 30_000 },
    );
    child.kill('SIGKILL');
    await ended;
    const { code, stderr } = await weir(['report', out]);
    expect(code).toBe(2);
    expect(stderr).toContain('checkpoint.jsonl is from a run that was killed in its first seconds');
  });
});
