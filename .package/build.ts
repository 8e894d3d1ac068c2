/**
 * Builds what is published: `dist/` from `src/`, each time anew, and whole or not at all. npm runs it
 * before it packs, and removes what it wrote afterwards.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));

/** Of the folders of `src`, those that look at the whole from outside. */
const onlookers = ['acceptance', 'bench', 'proving'].map((folder) => resolve('src', folder));
/** What neither the program nor its reader needs; the launcher is published where it lies. */
const left = ['README.md', 'tsconfig.json', 'weir.js'];

/** Scripts, styles and whatever else the program reads from its own folders. */
const isAsset = (path: string): boolean =>
  statSync(path).isDirectory()
    ? !onlookers.includes(resolve(path))
    : extname(path) !== '.ts' && !left.includes(basename(path));

const clear = (): void => rmSync('dist', { recursive: true, force: true });

/** The compiler says itself what is wrong. */
const compiles = (project: string): boolean => {
  const compiler = resolve('node_modules', '.bin', 'tsc');
  const { status, error } = spawnSync(compiler, ['-p', project], { stdio: 'inherit' });
  if (error !== undefined)
    console.error(`The compiler is not there (${error.message}): run npm ci.`);
  return status === 0;
};

/** The declarations that a user of the library needs: what its entry imports, directly or not. */
const neededDeclarations = (entry: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(entry)) return found;
  found.add(entry);
  const text = readFileSync(entry, 'utf8');
  for (const [, path = ''] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g)) {
    neededDeclarations(resolve(dirname(entry), `${path}.d.ts`), found);
  }
  return found;
};

const dropOtherDeclarations = (): void => {
  const needed = neededDeclarations(resolve('dist/run/library.d.ts'));
  for (const path of globSync('dist/**/*.d.ts')) if (!needed.has(resolve(path))) rmSync(path);
};

clear();
cpSync('src', 'dist', { recursive: true, filter: isAsset });
if (compiles('.package/tsconfig.json') && compiles('.package/declarations.json')) {
  dropOtherDeclarations();
  copyFileSync('.package/CHANGELOG.md', 'CHANGELOG.md');
} else {
  clear();
  process.exitCode = 1;
}
