import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../judge/sample-result.fixture.ts';
import { readHistory } from '../../platform/files/history-db.ts';
import { requestColumns } from '../../record/request-columns.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import { openRequestsTable, requestLines, tableFormatOf } from '../input/requests-table.ts';
import { openExtraReports } from './extra-reports.ts';
import { findingsFolderOf } from './findings-folder.ts';
import { judgeResult } from './judge-result.ts';
import { storeInHistory } from './store-in-history.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-extra-'));
afterAll(() => rmSync(home, { recursive: true }));
const path = (...names: readonly string[]): string => join(home, ...names);
const textOf = (name: string): string => readFileSync(path(name), 'utf8');

const unjudged = healthyResult({ groups: [sampleGroup(1200)] });
const judged = judgeResult(unjudged);
const repetition = { file: path('result.json'), result: judged.result, trust: judged.trust };

describe('the reports that are asked for', () => {
  it('are written whole at the end, each to its own file', async () => {
    writeFileSync(path('old.csv'), 'an earlier one');
    const said: string[] = [];
    const paths = {
      junit: path('a.xml'),
      csv: path('old.csv'),
      bill: path('b.csv'),
      summary: path('c.md'),
      jobSummary: path('job.md'),
    };
    const reports = await openExtraReports(paths, (text) => said.push(text));
    expect(said).toEqual([`${path('old.csv')} is overwritten.`]);
    expect(textOf('old.csv')).toBe('an earlier one');
    const outputs = reports.outputs(judged);
    expect(outputs.map(({ title, path: at }) => `${title} ${at}`)).toEqual([
      `JUnit ${paths.junit}`,
      `CSV ${paths.csv}`,
      `Bill ${paths.bill}`,
      `Summary ${paths.summary}`,
    ]);
    for (const { write } of outputs) await write();
    await reports.appendToJob(judged.result, judged.trust, (text) => said.push(text));
    expect(textOf('a.xml')).toMatch(/^<\?xml[^]*<testsuite [^]*[^\n]\n$/);
    expect(textOf('old.csv')).toMatch(/^plan,|,/);
    expect(textOf('c.md')).toContain('sample');
    expect(textOf('job.md').trim()).toBe(textOf('c.md').trim());
    expect(said).toHaveLength(1);
  });

  it('are none if none is, and those that are given up leave nothing', async () => {
    const none = await openExtraReports({}, () => undefined);
    expect(none.outputs(judged)).toEqual([]);
    await none.appendToJob(judged.result, judged.trust, () => undefined);
    const before = readdirSync(home);
    const reports = await openExtraReports({ csv: path('given-up.csv') }, () => undefined);
    await reports.discard();
    expect(readdirSync(home)).toEqual(before);
  });

  it('that cannot be written are noticed before the load', async () => {
    const opening = openExtraReports(
      { junit: path('x.xml'), csv: path('none', 'x.csv') },
      () => undefined,
    );
    await expect(opening).rejects.toThrow(path('none', 'x.csv'));
    expect(readdirSync(home)).not.toContain('x.xml');
  });
});

describe('a table of requests', () => {
  it('has the format that its name ends in', () => {
    expect([tableFormatOf('a.csv'), tableFormatOf('b/c.PARQUET')]).toEqual(['csv', 'parquet']);
    for (const name of ['a', 'a.tsv', 'csv', 'a.csv.gz'])
      expect(() => tableFormatOf(name)).toThrow(
        `--requests: expected a file whose name ends in .csv or .parquet, for example requests.csv; got ${name}`,
      );
  });

  it('has a head and a row for each request, with the times of its run', async () => {
    const table = await openRequestsTable(path('requests.csv'));
    const { plan } = unjudged;
    const context = { plan, zero: Date.parse('2026-07-01T10:20:30.000Z') };
    table.add(requestLines('csv', context)(sampleObservation()));
    await table.complete();
    const [head, row, rest] = textOf('requests.csv').split('\r\n');
    expect([head, rest]).toEqual([requestColumns.map(({ name }) => name).join(','), '']);
    const cells = row!.split(',');
    expect(cells).toHaveLength(requestColumns.length);
    expect(cells[requestColumns.findIndex(({ name }) => name === 'due_at')]).toBe(
      '2026-07-01T10:20:35.000Z',
    );
    const line = requestLines('parquet', context)(sampleObservation());
    expect(JSON.parse(line)).toHaveLength(requestColumns.length);
  });
});

describe('a table of requests in Parquet', () => {
  it('is converted when it is complete, and has no line of CSV', async () => {
    const table = await openRequestsTable(path('requests.parquet'));
    const context = { plan: unjudged.plan, zero: Date.parse('2026-07-01T10:20:30.000Z') };
    table.add(requestLines('parquet', context)(sampleObservation()));
    await table.complete();
    const file = textOf('requests.parquet');
    expect([file.slice(0, 4), file.slice(-4)]).toEqual(['PAR1', 'PAR1']);
    expect(file).toContain('Weir ');
    expect(file).not.toContain(requestColumns.map(({ name }) => name).join(','));
  });
});

describe('the history', () => {
  const warned: string[] = [];
  const store = (file: string | null, changes = {}) =>
    storeInHistory(file, { ...repetition, result: { ...repetition.result, ...changes } }, (text) =>
      warned.push(text),
    );

  it('has a run that counts, and none that does not or that is not to be kept', async () => {
    await store(path('history.db'));
    await store(path('history.db'), { partial: 'stopped' });
    await store(null);
    expect(await readHistory(path('history.db'))).toMatchObject([
      { plan: 'sample', file: path('result.json'), trust: 'valid' },
    ]);
    expect(warned).toEqual([]);
  });

  it('that cannot be written is only a warning', async () => {
    writeFileSync(path('file'), '');
    await store(path('file', 'history.db'));
    expect(warned).toEqual([expect.stringMatching(/^This run is not in the history: .*\.$/)]);
  });
});

describe('stored runs', () => {
  it('are findings of limits in a folder that has no run, or by their own file', async () => {
    const folder = (name: string, ...files: readonly string[]): string => {
      const at = mkdtempSync(path(`${name}-`));
      for (const each of files) writeFileSync(join(at, each), '{}');
      return at;
    };
    const [limits, both, run] = [
      folder('limits', 'limits.json'),
      folder('both', 'limits.json', 'result.json'),
      folder('run', 'result.json'),
    ];
    expect(await findingsFolderOf(limits)).toBe(limits);
    expect(await findingsFolderOf(both)).toBeNull();
    expect(await findingsFolderOf(run)).toBeNull();
    expect(await findingsFolderOf(folder('killed', 'limits.json', 'checkpoint.jsonl'))).toBeNull();
    expect(await findingsFolderOf(join(both, 'limits.json'))).toBe(both);
    expect(await findingsFolderOf(join(run, 'result.json'))).toBeNull();
  });
});
