// An installation from git has the source and no build, since npm would fetch all development packages to make one, and
// Node strips no types below `node_modules`. So the first start writes `dist/` itself: module for module what the source
// is, without types. Plain JavaScript, since nothing else runs before it.
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

/** A module's JavaScript; the modules that it imports are beside it in JavaScript, too. @param {string} text */
const compiled = (text) =>
  nodeModule
    .stripTypeScriptTypes(text)
    .replaceAll(/\b(from |import\(|import )'(\.[^']*)\.ts'/g, "$1'$2.js'");

/** Writes what the source is in JavaScript into a folder, with the files beside it. @param {string} folder */
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
 * Sees to it that there is a build. Of two first starts at once, one build stays, whatever the error of the other's rename
 * is called on its system. Throws if the folder cannot be written. @param {(from: string, to: string) => void} rename
 */
export const compileOnce = (rename = renameSync) => {
  if (existsSync(built)) return;
  let fresh = '';
  const emitWarning = process.emitWarning.bind(process);
  // Node 22 calls the stripping of types an experiment, which is nothing that a user can do anything about.
  process.emitWarning = () => {};
  try {
    // A library in an older Node comes here, too, which the program says before.
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

/** Whether Node must not be asked to run the source: it is below `node_modules`. */
const isInstalled = import.meta.url.includes('/node_modules/');

/** Loads a module by its path without extension: that of a checkout as it is, otherwise compiled. @param {string} path @returns {unknown} */
export const loadCompiled = (path) => {
  const require = createRequire(import.meta.url);
  if (!isInstalled) return require(join(root, 'src', `${path}.ts`));
  compileOnce();
  return require(join(built, `${path}.js`));
};
