/**
 * Builds what is published: `dist/` from `src/`, each time anew, and whole or not at all. npm runs it
 * before it packs, and removes what it wrote afterwards. The program is bundled: 600 small files are twice as large, packed
 * and on a disk, and slower to load.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

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

/** What Node is told to load, at the same place in `dist`: the program itself, the library, threads and processes. */
const entries = [
  'cli/main',
  'library/library',
  'run/workers/worker',
  'run/live/page-process',
  'platform/canary/emitter',
];

/**
 * A module finds the files beside it by where it was, not by the chunk that it became part of; of a path that holds `dist`
 * several times, the last is meant.
 */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) => {
    if (!code.includes('import.meta.')) return null;
    const place = JSON.stringify(relative('src', id).replace(/\.ts$/, '.js'));
    const url = `new URL(${place}, import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6))`;
    const path = `decodeURIComponent(${url}.pathname)`;
    return code
      .replaceAll(/import\.meta\.(url|filename|dirname)\b/g, 'import_meta_$1')
      .replaceAll('import_meta_url', `${url}.href`)
      .replaceAll('import_meta_filename', path)
      .replaceAll('import_meta_dirname', `${path}.replace(/\\/[^/]*$/, '')`);
  },
};

const bundle = async (): Promise<void> => {
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // Packages are not bundled, but what the compiler itself brings is.
    external: /^(?!@oxc-project)[@\w]/,
    plugins: [keepPlaces],
  });
  await bundled.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: true,
  });
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
  const needed = neededDeclarations(resolve('dist/library/library.d.ts'));
  for (const path of globSync('dist/**/*.d.ts')) if (!needed.has(resolve(path))) rmSync(path);
};

clear();
cpSync('src', 'dist', { recursive: true, filter: isAsset });
if (compiles('.package/declarations.json')) {
  dropOtherDeclarations();
  await bundle();
  copyFileSync('.github/CHANGELOG.md', 'CHANGELOG.md');
} else {
  clear();
  process.exitCode = 1;
}
