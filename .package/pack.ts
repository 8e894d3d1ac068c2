/**
 * Packs what is published, and prints the tarball's name: `npm run --silent package`, or `… -- FOLDER` for another place than
 * this. It is what `npm pack` packs, with a build in place of the source. It is laid out elsewhere: a checkout never has
 * a build, and a script `prepack` would have npm fetch all development packages for each installation from git.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildInto } from './build.ts';

const folder = resolve(process.argv[2] ?? '.');
const root = resolve(import.meta.dirname, '..');
process.chdir(root);

const npmPack = (cwd: string, ...words: readonly string[]): string => {
  const ended = spawnSync('npm', ['pack', ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (ended.error !== undefined) throw ended.error;
  if (ended.status !== 0) throw new Error(`npm pack ended with ${ended.status}`);
  return ended.stdout.trim();
};

/** Whether a file is published as it is. */
const isKept = (path: string): boolean => !/^src\/.*(?<!\.md|cli\/weir\.js)$/.test(path);
/** The heading of the last part of a document, which is about a checkout. */
const forDevelopers = /\n## (?:For developers|Decisions)\n/;
/** What of package.json is about a checkout. */
const own = ['allowScripts', 'devDependencies', 'files', 'knip', 'scripts'];

const layOut = (staged: string): void => {
  const listed = JSON.parse(npmPack(root, '--dry-run', '--json')) as object;
  const [{ files }] = Object.values(listed) as [{ files: readonly { path: string }[] }];
  for (const { path } of files.filter((file) => isKept(file.path)))
    cpSync(path, join(staged, path));
  for (const { path } of files.filter((file) => file.path.endsWith('.md'))) {
    const [kept = ''] = readFileSync(path, 'utf8').split(forDevelopers);
    writeFileSync(join(staged, path), `${kept.trimEnd()}\n`);
  }
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: { '.': { default: string } };
  };
  manifest.exports['.'].default = './dist/library/library.js';
  const published = Object.entries(manifest).filter(([name]) => !own.includes(name));
  const text = JSON.stringify(Object.fromEntries(published), null, 2);
  writeFileSync(join(staged, 'package.json'), `${text}\n`);
};

const staged = mkdtempSync(join(tmpdir(), 'weir-package-'));
try {
  layOut(staged);
  await buildInto(join(staged, 'dist'));
  console.log(npmPack(staged, '--silent', '--pack-destination', folder));
} finally {
  rmSync(staged, { recursive: true, force: true });
}
