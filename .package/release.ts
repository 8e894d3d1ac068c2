/**
 * Makes the files of a release in a folder: `npm run --silent release -- FOLDER`. They are the package, the list of what
 * an installed Weir consists of, the notes, and the checksums of the first two. It publishes nothing. In a workflow it
 * checks the tag, and says whether the release is to be published: only if package.json is not private.
 */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { notesOf, type ReleaseManifest, releaseProblems } from './release-checks.ts';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? 'release');

/** Returns what a program prints; what it says of problems goes to standard error. */
const outputOf = (program: string, words: readonly string[]): string => {
  const { status, stdout, error } = spawnSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${words[0]} ended with ${status}`);
  return stdout;
};

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ReleaseManifest;
const changelog = readFileSync(join(root, '.github', 'CHANGELOG.md'), 'utf8');
const { GITHUB_REF_TYPE: refType, GITHUB_REF_NAME: refName = '', GITHUB_OUTPUT } = process.env;

const makeFiles = (): void => {
  const { name, version } = manifest;
  mkdirSync(folder, { recursive: true });
  const packed = outputOf(process.execPath, [join('.package', 'pack.ts'), folder]);
  const tarball = packed.trim().split('\n').at(-1) ?? '';
  const bom = `${name}-${version}.cdx.json`;
  writeFileSync(join(folder, bom), outputOf(process.execPath, [join('.ci', 'sbom.ts')]));
  const sums = [tarball, bom].map((file) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'notes.md'), `${notesOf(changelog, version)}\n`);
  console.log([tarball, bom, 'SHA256SUMS', 'notes.md'].join('\n'));
};

const problems = releaseProblems(manifest, refType === 'tag' ? refName : null, changelog);
if (problems.length > 0) {
  for (const problem of problems) console.error(`release: ${problem}`);
  process.exitCode = 1;
} else {
  makeFiles();
  const isPublished = manifest.private !== true;
  if (!isPublished)
    console.error(
      'release: package.json is private: nothing will be published (.package/RELEASING.md)',
    );
  if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `publish=${isPublished}\n`);
}
