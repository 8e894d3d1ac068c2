import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { Problem } from '../../platform/problem.ts';
import { fakeHost } from '../fake-host.fixture.ts';
import { openOutputFolder, usingFolder, writeResultIn } from './output-folder.ts';
import { publishReport } from './write-outputs.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-published-'));
afterAll(() => rmSync(home, { recursive: true }));
const newFolder = (): string => mkdtempSync(join(home, 'of-'));

const document = { weir: '0.1.0', title: 'Findings', blocks: [], footer: 'The end.' };

const published = async (
  kind: Parameters<typeof publishReport>[2],
  more: Partial<Parameters<typeof publishReport>[3]> = {},
) => {
  const fake = fakeHost();
  const path = newFolder();
  const folder = await openOutputFolder(path, kind, () => undefined);
  const report = { format: `${kind}/1`, found: 3 };
  const written = await publishReport(fake.host.printer, folder, kind, {
    report,
    document,
    ...more,
  });
  await folder.release();
  const files = fake.listed.map((line) => line.replaceAll(`${path}/`, ''));
  return { ...fake, written, files, path, kept: readdirSync(path).toSorted() };
};

it('a report has each file of its kind, listed in this order, and its data is printed', async () => {
  const summary = join(newFolder(), 'job.md');
  writeFileSync(summary, 'Before.\n');
  const { files, kept, path, printed, written } = await published('check', {
    junit: () => '<testsuites/>',
    jobSummary: summary,
  });
  expect(written).toBe('pass');
  expect(files).toEqual([
    'Report:   check.html',
    'Result:   check.json',
    'JUnit:    check.junit.xml',
    'Markdown: check.md',
  ]);
  expect(kept).toEqual(['check.html', 'check.json', 'check.junit.xml', 'check.md']);
  const text = '{"format":"check/1","found":3}\n';
  expect(readFileSync(join(path, 'check.json'), 'utf8')).toBe(text);
  expect(printed[0]!.json).toBe(text);
  expect(printed[0]!.text({ color: false, width: 80 } as never)).toContain('Findings');
  expect(readFileSync(join(path, 'check.junit.xml'), 'utf8')).toBe('<testsuites/>');
  const markdown = readFileSync(join(path, 'check.md'), 'utf8');
  expect(markdown).toContain('Findings');
  expect(readFileSync(summary, 'utf8')).toBe(`Before.\n${markdown}`);
  expect(readFileSync(join(path, 'check.html'), 'utf8')).toContain('<title>Findings');
});

it('a report has no file that its kind or its command lacks', async () => {
  const summary = join(newFolder(), 'job.md');
  writeFileSync(summary, '');
  const cache = await published('cache', { jobSummary: summary, print: { isGood: false } });
  expect(cache.files).toEqual(['Report: cache.html', 'Result: cache.json']);
  expect(cache.printed[0]!.isGood).toBe(false);
  expect(readFileSync(summary, 'utf8')).toBe('');
  const { files } = await published('noise', { markdownTitle: 'Noise' });
  expect(files).toEqual(['Result: noise.json', 'Noise:  noise.md']);
});

it('a folder is released after its use, and removed if the use fails', async () => {
  const path = join(newFolder(), 'new');
  const closed: string[] = [];
  const open = () => openOutputFolder(path, 'run', () => undefined);
  const failing = usingFolder(await open(), async (closing) => {
    closing.defer(() => void closed.push('failed'));
    throw new Problem('no figures');
  });
  await expect(failing).rejects.toThrow('no figures');
  expect(readdirSync(join(path, '..'))).toEqual([]);
  const used = await usingFolder(await open(), async (closing) => {
    closing.defer(() => void closed.push('used'));
    return 7;
  });
  expect([used, closed]).toEqual([7, ['failed', 'used']]);
  expect(readdirSync(path)).toEqual([]);
});

it('a result alone is written as one line of JSON', async () => {
  const path = newFolder();
  const result = healthyResult();
  const file = await writeResultIn(await openOutputFolder(path, 'run', () => undefined), result);
  expect(file).toBe(join(path, 'result.json'));
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(result)}\n`);
  expect(readdirSync(path)).toEqual(['result.json']);
});
