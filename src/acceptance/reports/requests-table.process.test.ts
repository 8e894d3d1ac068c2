import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  startWeir,
  tempFile,
  tempFolder,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (load: string): string => `
name: short
target: mock
traffic: [{ kind: chat-stream, model: weir/small, maxTokens: 5, prompt: { tokens: 40 } }, { kind: models }]
load: ${load}
mock: { ttft: 20ms, gap: 2ms, limits: { requestsPerMinute: 30 } }
`;

const short = '{ kind: constant, rate: 40/s, duration: 1s }';
const long = '{ kind: constant, rate: 20/s, duration: 60s }';

const csvLines = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).trimEnd().split('\r\n');

const waitForLines = (path: string, count: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const lines = (await readFile(path, 'utf8')).split('\n');
      if (lines.length <= count) throw new Error(`${path} has ${lines.length - 1} lines`);
    },
    { timeout: 30_000, interval: 50 },
  );

const isWholeParquet = async (path: string): Promise<boolean> => {
  const bytes = await readFile(path, 'latin1');
  return bytes.startsWith('PAR1') && bytes.endsWith('PAR1');
};

describe('the table of requests', () => {
  it('is the same from a run, from its workers, and from the observations of either', async () => {
    const path = await tempFile('s.yaml', scenario(short));
    for (const workers of ['1', '2']) {
      const out = await tempFolder();
      const [own, made, seen] = ['own.csv', 'made.csv', 'o.jsonl'].map((name) =>
        join(out, name),
      ) as [string, string, string];
      const files = ['--out', out, '--observations', seen, '--requests', own];
      const { stderr } = await weir(['run', path, '--workers', workers, ...files]);
      expect(stderr).toContain(`Requests: ${own}`);
      const lines = await csvLines(own);
      expect(lines).toHaveLength(1 + 40);
      await weir(['report', out, '--observations', seen, '--requests', made]);
      expect(await csvLines(made)).toEqual(lines);
      const { groups } = await resultIn(out);
      expect(sumOutcomes(groups)).toMatchObject({ completed: 30, limited: 10 });
      expect((await readdir(out)).filter((name) => name.endsWith('.part'))).toEqual([]);
    }
  });

  it('is whole after Ctrl-C, in both forms, and has every arrival of the result', async () => {
    const path = await tempFile('s.yaml', scenario(long));
    for (const name of ['t.csv', 't.parquet']) {
      const out = await tempFolder();
      const table = join(out, name);
      const files = ['--out', out, '--requests', table, '--observations', join(out, 'o.jsonl')];
      const { child, ended, waitForOutput } = startWeir(['run', path, ...files]);
      await waitForOutput('Ctrl-C ends it early');
      await waitForLines(join(out, 'o.jsonl'), 10);
      child.kill('SIGINT');
      expect((await ended).code).toBe(130);
      const { groups } = await resultIn(out);
      const arrivals = countArrivals(sumOutcomes(groups));
      expect(arrivals).toBeGreaterThan(0);
      if (name === 't.csv') expect(await csvLines(table)).toHaveLength(1 + arrivals);
      else expect(await isWholeParquet(table)).toBe(true);
    }
  });

  it('of a killed run is never under its name, and can be made from the observations', async () => {
    const out = await tempFolder();
    const [table, seen] = [join(out, 't.csv'), join(out, 'o.jsonl')];
    await writeFile(table, 'an earlier table');
    const path = await tempFile('s.yaml', scenario(long));
    const files = ['--out', out, '--requests', table, '--observations', seen];
    const { child, waitForOutput, ended } = startWeir(['run', path, ...files]);
    await waitForOutput('Ctrl-C ends it early');
    const checkpoint = join(out, 'checkpoint.jsonl');
    await vi.waitFor(async () => expect(await readFile(checkpoint, 'utf8')).toContain('"until"'), {
      timeout: 30_000,
    });
    child.kill('SIGKILL');
    await ended;
    expect(await readFile(table, 'utf8')).toBe('an earlier table');
    await appendFile(seen, '{"requestId":"to');
    const { stderr, code } = await weir([
      'report',
      out,
      '--observations',
      seen,
      '--requests',
      table,
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain(`${table} is overwritten.`);
    expect(stderr).toContain(`The last line of ${seen} is not whole, and is left out`);
    const rows = (await csvLines(table)).slice(1);
    const lines = (await readFile(seen, 'utf8')).trimEnd().split('\n');
    expect(rows).toHaveLength(lines.length - 2);
  });

  it('is refused where there is nothing to make it from, or nowhere to put it', async () => {
    const out = await tempFolder();
    const other = await tempFolder();
    const seen = join(other, 'o.jsonl');
    const path = await tempFile('s.yaml', scenario(short));
    await weir(['run', path, '--out', out]);
    await weir(['run', path, '--out', other, '--observations', seen]);
    await mkdir(join(out, 'folder.csv'));
    const table = join(out, 't.csv');
    const refused: readonly (readonly [readonly string[], string])[] = [
      [
        ['report', out, '--observations', seen, '--requests', table],
        'of another run, which began at',
      ],
      [
        ['report', other, '--observations', path, '--requests', table],
        'line 1: Expected the header',
      ],
      [
        ['report', other, '--observations', join(other, 'none'), '--requests', table],
        'cannot be read: there is no such file',
      ],
      [['run', path, '--out', out, '--requests', 't.txt'], 'ends in .csv or .parquet'],
      [['run', path, '--out', out, '--requests', join(out, 'folder.csv')], 'it is a folder'],
      [
        ['run', path, '--out', out, '--requests', join(out, 'no', 't.csv')],
        'its folder does not exist',
      ],
    ];
    for (const [args, message] of refused) {
      const { code, stderr } = await weir(args);
      expect(stderr).toContain(message);
      expect(code).toBe(2);
    }
    expect((await readdir(out)).toSorted()).toEqual(['folder.csv', 'report.html', 'result.json']);
  });

  it('says before the load which package Parquet needs', async () => {
    const hook = await tempFile(
      'missing.mjs',
      `import { registerHooks } from 'node:module';
       registerHooks({ resolve(name, context, next) {
         if (name !== 'hyparquet-writer') return next(name, context);
         throw Object.assign(new Error('not there'), { code: 'ERR_MODULE_NOT_FOUND' });
       } });`,
    );
    const path = await tempFile('s.yaml', scenario(short));
    const out = join(await tempFolder(), 'r');
    const { code, stderr } = await weirProcess(
      ['run', path, '--out', out, '--requests', 't.parquet'],
      {
        NODE_OPTIONS: `--import ${hook}`,
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('run `npm install hyparquet-writer@0.17`, or name a .csv file');
    expect(stderr).not.toContain('Ctrl-C ends it early');
  });
});
