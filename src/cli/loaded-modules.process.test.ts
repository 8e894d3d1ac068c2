import { spawnSync } from 'node:child_process';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verbTable } from './verb-table.ts';

const launcher = resolve('src/cli/weir.js');

/** Writes the paths of the files that a process has loaded as its last line of standard error. */
const reportFiles = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const files = new Set();
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) files.add(url);
      return next(url, context);
    },
  });
  process.on('exit', () => console.error('\\n' + JSON.stringify([...files])));
`)}`;

/** The files that a command line loads, relative to the checkout. */
const filesLoadedBy = (words: string): readonly string[] => {
  const flags = ['--import', reportFiles, launcher, ...words.split(' ')];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const urls = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as readonly string[];
  return urls.map((url) => relative('.', fileURLToPath(url)));
};

/**
 * The most files that a command line may load, its own and those of packages: what it loads now and two more. A file takes some 0.3 ms
 * of CPU at each start, and one import of a package or of a room can bring a hundred. Raise a number only for what the command needs.
 */
const most: Readonly<Record<string, number>> = {};

/** The wings whose verb has another name than they. */
const wingOf: Readonly<Record<string, string>> = {
  coordinate: 'fleet',
  merge: 'fleet',
  mock: 'mock-server',
  worker: 'fleet',
};

describe('the start of', () => {
  const commands = Object.entries(most);

  it.each(commands)('weir %s loads few files', (words, bound) => {
    const files = filesLoadedBy(words);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(bound);
    // A bound far above what is loaded would let the next hundred in.
    expect(files.length).toBeGreaterThan(bound - 12);
  });

  it('each verb is counted', () => {
    const helps = [...verbTable.keys()].map((verb) => `${verb} --help`);
    expect(Object.keys(most)).toEqual(expect.arrayContaining(helps));
  });

  it.each([...verbTable.keys()])('weir %s --help loads nothing of other verbs', (verb) => {
    const wing = wingOf[verb] ?? verb;
    const others = filesLoadedBy(`${verb} --help`).filter(
      (file) => file.startsWith('src/verbs/') && !file.startsWith(`src/verbs/${wing}/`),
    );
    expect(others).toEqual([]);
  });
});
