import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startPageProcess } from './start-page-process.ts';

/** Writes a program that stands in for the one that renders pages. */
const programOf = async (text: string): Promise<URL> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-page process-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'page.mjs');
  await writeFile(path, text);
  return pathToFileURL(path);
};

it('the process of a page has one thread and little memory, and reads its setup as a line', async () => {
  const entry = await programOf(
    `process.stdin.once('data', (setup) => console.log(JSON.stringify({ flags: process.execArgv, setup: String(setup) })));`,
  );
  const page = await startPageProcess(entry, { port: 1 });
  onTestFinished(() => page.stop());
  expect(JSON.parse(page.line)).toEqual({
    flags: ['--single-threaded', '--max-semi-space-size=4'],
    setup: '{"port":1}\n',
  });
});

it('a page whose process does not start has the reason', async () => {
  const entry = await programOf(`console.error('no port'); process.exit(1);`);
  await expect(startPageProcess(entry, {})).rejects.toThrow(
    /^--live: the live page could not be started: no port$/,
  );
});
