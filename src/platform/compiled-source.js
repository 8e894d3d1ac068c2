// This file writes `dist/` at the first start of an installation from git. Such an installation has the source but no
// build, since npm would fetch all development packages to make a build, and Node strips no types below `node_modules`.
// The files of `dist/` are the source files without types. This file is plain JavaScript, since it runs before any type
// is stripped.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const built = join(root, 'dist');

/**
 * Returns a TypeScript module as JavaScript. Imports of `.ts` files become imports of `.js` files.
 * @param {string} text
 */
const compiled = (text) =>
  nodeModule
    .stripTypeScriptTypes(text)
    .replaceAll(/\b(from |import\(|import )'(\.[^']*)\.ts'/g, "$1'$2.js'");

/**
 * Writes every TypeScript file of `src` as JavaScript into a folder, and copies all other files.
 * @param {string} folder
 */
const compileInto = (folder) => {
  const source = join(root, 'src');
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, from.slice(source.length));
    mkdirSync(dirname(to), { recursive: true });
    if (entry.name.endsWith('.ts'))
      writeFileSync(to.replace(/\.ts$/, '.js'), compiled(readFileSync(from, 'utf8')));
    else cpSync(from, to);
  }
};

/**
 * Makes `dist/` unless `dist/` exists. If two processes make `dist/` at the same time, one rename fails, and the
 * process with the failed rename uses the other process's `dist/`. Throws an error if the folder cannot be written.
 * @param {(from: string, to: string) => void} rename
 */
export const compileOnce = (rename = renameSync) => {
  if (existsSync(built)) return;
  let fresh = '';
  const emitWarning = process.emitWarning.bind(process);
  // Node 22 warns that the stripping of types is an experiment. A user can do nothing about this warning.
  process.emitWarning = () => {};
  try {
    // A program that imports Weir as a library may run on an older Node. The command line checks the version of Node
    // before.
    if (typeof nodeModule.stripTypeScriptTypes !== 'function')
      throw new Error(`Node.js 22.22 or newer is needed, and this is ${process.versions.node}`);
    fresh = mkdtempSync(`${built}-`);
    compileInto(fresh);
    rename(fresh, built);
  } catch (error) {
    if (existsSync(built)) return;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Weir was installed from git, so it compiles itself at its first start, which failed (${why}). If ${root} cannot be written, ` +
        'run `weir --version` once as the user who installed it; otherwise install the package that `npm run package` makes in a checkout.',
      { cause: error },
    );
  } finally {
    process.emitWarning = emitWarning;
    if (fresh !== '') rmSync(fresh, { recursive: true, force: true });
  }
};

/** Whether this file is below `node_modules`, where Node strips no types. */
const isInstalled = import.meta.url.includes('/node_modules/');

/**
 * Loads a module by its path without extension. A checkout loads the source; an installation loads the compiled file.
 * @param {string} path
 * @returns {unknown}
 */
export const loadCompiled = (path) => {
  const require = createRequire(import.meta.url);
  if (!isInstalled) return require(join(root, 'src', `${path}.ts`));
  compileOnce();
  return require(join(built, `${path}.js`));
};
