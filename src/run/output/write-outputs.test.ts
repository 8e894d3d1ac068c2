import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOutputFolder } from './output-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { fakeHost } from '../fake-host.fixture.ts';
import { dataIn, fileIn, type Output, publishOutcome } from './write-outputs.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-outputs-'));
});
afterEach(() => rm(root, { recursive: true }));

const outcome = { text: () => 'figures' };

const publish = async (outputs: readonly Output[], print?: () => void) => {
  const fake = fakeHost();
  const order: string[] = [];
  const printer = {
    ...fake.host.printer,
    print: print ?? (() => order.push('print')),
    listFiles: (lines: string) => {
      order.push('list');
      fake.listed.push(...lines.split('\n'));
    },
    close: () => order.push('close'),
  };
  const noted = outputs.map((output) => ({
    ...output,
    write: () => {
      order.push(output.title);
      return output.write();
    },
  }));
  return { exit: publishOutcome(printer, outcome, noted), order, ...fake };
};

const failing = (title: string, error: Error, data?: string): Output => ({
  title,
  path: join(root, 'none', title),
  write: () => Promise.reject(error),
  ...(data === undefined ? {} : { data }),
});
const full = Object.assign(new Error('ENOSPC: no space'), {
  code: 'ENOSPC',
  syscall: 'write',
  errno: -28,
});

it('an outcome is printed, its data is written first, and the files are listed as they were given', async () => {
  const folder = await openOutputFolder(root, 'run', () => undefined);
  const outputs = [
    fileIn(folder, 'Report', 'report.html', () => 'page'),
    dataIn(folder, 'result.json', '{"a":1}'),
  ];
  const { exit, order, listed } = await publish(outputs);
  expect(await exit).toBe('pass');
  expect(order).toEqual(['print', 'Result', 'Report', 'list', 'close']);
  expect(listed).toEqual([
    `Report: ${join(root, 'report.html')}`,
    `Result: ${join(root, 'result.json')}`,
  ]);
  expect(await readFile(join(root, 'result.json'), 'utf8')).toBe('{"a":1}');
  expect(await readFile(join(root, 'report.html'), 'utf8')).toBe('page');
});

it('a file that cannot be written is a warning, and the others are written and listed', async () => {
  const folder = await openOutputFolder(root, 'run', () => undefined);
  const { exit, warned, listed, order } = await publish([
    failing('JUnit', full),
    failing('CSV', new Problem('the folder is gone')),
    fileIn(folder, 'Report', 'report.html', () => 'page'),
  ]);
  expect(await exit).toBe('unwritten');
  expect(warned).toEqual([
    expect.stringMatching(/^JUnit: not written: .*none\/JUnit: .*\.$/),
    'CSV: not written: the folder is gone.',
  ]);
  expect(listed).toEqual([`Report: ${join(root, 'report.html')}`]);
  expect(order.at(-1)).toBe('close');
  expect(await readdir(root)).toContain('report.html');
});

it('data that cannot be written is kept elsewhere, and the warning says where', async () => {
  const { exit, warned } = await publish([failing('Result', full, '{"kept":1}')]);
  expect(await exit).toBe('unwritten');
  const [, place = ''] = /; its data is in (.+)\.$/.exec(warned[0]!) ?? [];
  expect(await readFile(place, 'utf8')).toBe('{"kept":1}');
  await rm(place);
});

it('a defect in a file or in the text is thrown, after all the rest was written', async () => {
  const folder = await openOutputFolder(root, 'run', () => undefined);
  const defect = new TypeError('of ours');
  const broken = fileIn(folder, 'Report', 'report.html', () => {
    throw defect;
  });
  const data = dataIn(folder, 'result.json', '{}');
  const first = await publish([broken, data]);
  await expect(first.exit).rejects.toBe(defect);
  expect(await readFile(join(root, 'result.json'), 'utf8')).toBe('{}');
  const second = await publish([data], () => {
    throw defect;
  });
  await expect(second.exit).rejects.toBe(defect);
  expect(second.listed).toHaveLength(1);
});
