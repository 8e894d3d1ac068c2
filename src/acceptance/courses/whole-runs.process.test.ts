import { appendFile, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { fakeHost, runRequest } from '../../run/fake-host.fixture.ts';
import { runOnce } from '../../run/run.ts';
import { readLines, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import {
  gatewayForFile,
  inFolder,
  quickFile,
  quickScenario,
  withKey,
} from './quick-scenario.fixture.ts';

cleanUpAfterEach();
const gateway = gatewayForFile();

describe('a run with all that helps it', () => {
  it('starts a gateway, a self-test, a live page and metrics, and all of them end with the run', async () => {
    const path = inFolder(await tempFolder());
    const fake = fakeHost({});
    const addresses: string[] = [];
    // A connection that is kept open may be closed by the server just as the next request begins.
    const textAt = async (address: string): Promise<string> =>
      (await fetch(address).catch(() => fetch(address))).text();
    /** The live page, and the metrics once they have an arrival, both of which are there only during the load. */
    const watch = async (live: string, endpoint: string) => {
      let metrics = '';
      const shown = textAt(live);
      // The run is in this process, so it needs time between two questions.
      await expect
        .poll(async () => (metrics = await textAt(endpoint)), { interval: 50, timeout: 10_000 })
        .toContain('weir_arrivals_total{');
      return { shown: await shown, metrics };
    };
    let watching: ReturnType<typeof watch> | null = null;
    const load = { kind: 'constant', rate: '10/s', duration: '3s' };
    const value = { ...JSON.parse(quickScenario({ load, target: 'mock' })), canary: true };
    const request = runRequest(value, 'mock', {
      out: path('run'),
      live: { port: 0, onAddress: (address) => addresses.push(address) },
      metricsExport: { metrics: { host: '127.0.0.1', port: 0 }, otlp: null },
    });
    const { result, page } = await runOnce(request, fake.host, () => ({
      onStart: () => {
        const [, endpoint = ''] = /Live metrics: (\S+)/.exec(fake.said.join('\n')) ?? [];
        watching = watch(addresses[0]!, endpoint);
        // A failure counts once the run has ended, and is thrown there.
        watching.catch(() => undefined);
      },
    }));
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 30, broken: 0 });
    expect(result.partial).toBeNull();
    expect(result.notes.join()).not.toContain('No self-test streams');
    expect(result.gatewayCounters?.['completed']).toBe(30);
    expect(addresses).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/)]);
    const watched = await watching!;
    expect(watched?.shown).toContain('quick');
    expect(watched?.metrics).toMatch(/weir_arrivals_total\{.*\} \d/);
    expect(page).toBe(path('run/report.html'));
    expect(fake.warned).toEqual([]);
    await expect(fetch(addresses[0]!)).rejects.toThrow('fetch failed');
  });

  it('begins nothing where the port of its live page is taken', async () => {
    const fake = fakeHost(withKey);
    const port = Number(new URL(gateway.url()).port);
    const live = { port, onAddress: () => undefined };
    const out = inFolder(await tempFolder())('none');
    const request = runRequest(JSON.parse(quickScenario()), gateway.url(), { out, live });
    await expect(runOnce(request, fake.host)).rejects.toThrow(
      `--live: port ${port} of 127.0.0.1 cannot be used to listen: EADDRINUSE. Give another one`,
    );
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });
});

describe('a stored run', () => {
  /** A run with its observations, and what else the caller asks for. */
  const stored = async (...words: readonly string[]) => {
    const path = inFolder(await tempFolder());
    const all = ['--out', path('run'), '--observations', path('all.jsonl'), ...words];
    const file = await quickFile({ objectives: ['errorRate < 50%'] });
    const ended = await gateway.weir('run', file, '--target', gateway.url(), ...all);
    expect([0, 12, 10], ended.stderr).toContain(ended.code);
    return { ...ended, path, result: await resultIn(path('run')) };
  };

  it('is reported again as it was, beside itself or elsewhere, with the files that are asked for', async () => {
    const { path, stdout, code, result } = await stored();
    const before = await readFile(path('run/result.json'), 'utf8');
    const again = await weir(['report', path('run')]);
    expect([again.code, again.stdout]).toEqual([code, stdout]);
    expect(JSON.parse(await readFile(path('run/result.json'), 'utf8'))).toEqual(JSON.parse(before));
    const files = [
      '--csv',
      path('f.csv'),
      '--junit',
      path('j.xml'),
      '--summary',
      path('s.md'),
      '--requests',
      path('r.csv'),
    ];
    const elsewhere = await weir(
      [
        'report',
        path('run/result.json'),
        '--out',
        path('other'),
        ...files,
        '--observations',
        path('all.jsonl'),
        '--json',
      ],
      { GITHUB_STEP_SUMMARY: path('job.md') },
    );
    expect(elsewhere.code).toBe(code);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ planHash: result.planHash });
    expect((await readdir(path('other'))).toSorted()).toEqual(['report.html', 'result.json']);
    expect(await readFile(path('j.xml'), 'utf8')).toContain('errorRate');
    expect(await readLines(path('r.csv'))).toHaveLength(1 + 12);
    expect(await readFile(path('job.md'), 'utf8')).toBe(await readFile(path('s.md'), 'utf8'));
    for (const name of ['f.csv', 'j.xml', 's.md', 'r.csv', 'other/report.html'])
      expect(elsewhere.stderr).toContain(path(name));
    const over = await weir([
      'report',
      path('run'),
      '--requests',
      path('r.csv'),
      '--observations',
      path('all.jsonl'),
    ]);
    expect(over.stderr).toContain(`${path('r.csv')} is overwritten.`);
  });

  it('makes a table of requests from the observations of the same run only, and leaves out a torn last line', async () => {
    const { path } = await stored();
    const table = (...observations: readonly string[]) =>
      weir([
        'report',
        path('run'),
        '--requests',
        path('r.csv'),
        ...observations.flatMap((name) => ['--observations', path(name)]),
      ]);
    const lines = await readLines(path('all.jsonl'));
    await writeFile(
      path('torn.jsonl'),
      `${lines.slice(0, 5).join('\n')}\n${lines[5]!.slice(0, 40)}`,
    );
    const torn = await table('torn.jsonl');
    expect(torn.stderr).toContain(
      `The last line of ${path('torn.jsonl')} is not whole, and is left out: the run was killed.`,
    );
    expect(torn.stderr).toContain(
      'has 4 requests, and the result 12: the observations of others are missing.',
    );
    expect(await readLines(path('r.csv'))).toHaveLength(1 + 4);
    await writeFile(
      path('broken.jsonl'),
      `${lines.slice(0, 3).join('\n')}\n{"odd": 1}\n${lines[4]}\n`,
    );
    const broken = await table('broken.jsonl');
    expect([broken.code, broken.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('broken.jsonl, line 4: '),
    ]);
    expect(broken.code).not.toBe(0);
    await copyFile(path('all.jsonl'), path('more.jsonl'));
    await appendFile(path('more.jsonl'), `${lines[1]}\n`);
    expect((await table('more.jsonl')).stderr).toContain(
      'has 13 requests, and the result 12: the run was killed after its last checkpoint.',
    );
    const [header, ...rest] = lines;
    const other = JSON.stringify({ ...JSON.parse(header!), startedAt: '2020-01-01T00:00:00.000Z' });
    await writeFile(path('other.jsonl'), [other, ...rest].join('\n'));
    expect((await table('other.jsonl')).stderr).toContain(
      'has the observations of another run, which began at 2020-01-01T00:00:00.000Z',
    );
    await writeFile(path('empty.jsonl'), '');
    expect((await table('empty.jsonl')).stderr).toContain(
      'is empty: expected the observations of a run',
    );
    expect((await table('none.jsonl')).stderr).toContain('none.jsonl cannot be read: ');
    expect((await table()).stderr).toContain(
      '--requests: a result has the distributions of all requests',
    );
    const unused = await weir(['report', path('run'), '--observations', path('all.jsonl')]);
    expect([unused.code, unused.stderr]).toEqual([
      2,
      expect.stringContaining('nothing is made of them without --requests'),
    ]);
  });

  it('is compared with a base after its repetitions, and its noise is measured', async () => {
    const path = inFolder(await tempFolder());
    const file = await quickFile();
    const words = ['run', file, '--target', gateway.url()];
    const anyway = [...words, '--allow-different'];
    const first = await gateway.weir(
      ...words,
      '--repeat',
      '2',
      '--out',
      path('base'),
      '--pause',
      '10ms',
    );
    expect([0, 12], first.stderr).toContain(first.code);
    expect((await readdir(path('base'))).toSorted()).toEqual(['1', '2']);
    expect(first.stderr).toContain('Run 2 of 2\n');
    expect(first.stderr.match(/Pausing 10 ms/g)).toHaveLength(1);
    expect(first.stderr).toContain(`Runs: ${path('base')}`);
    const turns = await gateway.weir(
      ...anyway,
      '--repeat',
      '2',
      '--against',
      gateway.url(),
      '--out',
      path('turns'),
      '--json',
    );
    expect((await readdir(path('turns'))).toSorted()).toEqual([
      'base',
      'comparison.html',
      'comparison.json',
      'comparison.junit.xml',
      'comparison.md',
      'new',
    ]);
    const comparison = JSON.parse(turns.stdout);
    expect([comparison.base.runs.length, comparison.next.runs.length]).toEqual([2, 2]);
    const orders = [...turns.stderr.matchAll(/Run \d of 4: (base|new)\/\d/g)].map(
      ([, side]) => side,
    );
    expect(orders.filter((side) => side === 'base')).toHaveLength(2);
    expect(orders).toHaveLength(4);
    expect(orders[0]).not.toBe(orders[1]);
    const based = await gateway.weir(
      ...anyway,
      '--baseline',
      path('base'),
      '--out',
      path('based'),
      '--json',
    );
    expect(JSON.parse(based.stdout).base.runs.map((run: { file: string }) => run.file)).toEqual([
      path('base/1/result.json'),
      path('base/2/result.json'),
    ]);
  });
});
