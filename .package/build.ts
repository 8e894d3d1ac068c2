/**
 * Builds what is published: a folder `dist` of JavaScript from `src/`. The program is bundled: 600 small files are twice as
 * large, packed and on a disk, and slower to load.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { type ChunkingContext, type Plugin, rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { trimDeclarations } from './declarations.ts';

process.chdir(resolve(import.meta.dirname, '..'));

/** Of the folders of `src`, those that look at the whole from outside. */
const onlookers = ['acceptance', 'bench', 'proving'].map((folder) => resolve('src', folder));
/** What neither the program nor its reader needs: the launcher is published where it lies, and two modules are for an installation without a build. */
const left = ['tsconfig.json', 'weir.js', 'compiled-source.js', 'installed.js'];

/** Scripts, styles and whatever else the program reads from its own folders. */
const isAsset = (path: string): boolean =>
  statSync(path).isDirectory()
    ? !onlookers.includes(resolve(path))
    : !['.md', '.snap', '.ts'].includes(extname(path)) && !left.includes(basename(path));

/** Writes the declarations of the library. The compiler says itself what is wrong. */
const declare = (out: string): void => {
  const compiler = resolve('node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) throw new Error('The compiler is not there: run npm ci.');
  const words = [compiler, '-p', '.package/declarations.json', '--outDir', out];
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The declarations of the library cannot be made.');
  trimDeclarations(out, join(out, 'library', 'library.d.ts'));
};

/** The modules that Node loads by their path, which have the same path in `dist`: the program, the library, threads and processes. */
const entries = [
  'cli/main',
  'library/library',
  'run/workers/worker',
  'run/watch/decision-thread',
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
    const path = relative('src', id).split(sep).join('/');
    const place = JSON.stringify(path.replace(/\.ts$/, '.js'));
    const url = `new URL(${place}, import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6))`;
    // A chunk may not import anything that its module does not; a path of Windows is not that of its address.
    const file = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
    return code
      .replaceAll(/import\.meta\.(url|filename|dirname)\b/g, 'import_meta_$1')
      .replaceAll('import_meta_url', `${url}.href`)
      .replaceAll('import_meta_filename', file)
      .replaceAll('import_meta_dirname', `${file}.replace(/[\\\\/][^\\\\/]*$/, '')`);
  },
};

/** Adds to `found` the modules and all that they import without waiting, directly or not. */
const addImports = (
  ids: readonly string[],
  context: ChunkingContext,
  found = new Set<string>(),
): ReadonlySet<string> => {
  for (const id of ids) {
    if (found.has(id)) continue;
    found.add(id);
    addImports([...(context.getModuleInfo(id)?.importedIds ?? [])], context, found);
  }
  return found;
};

/** Chunks by their use, each with the modules from which all of theirs are imported; a module belongs to the first that has it. */
const uses = [
  ['start', ['src/cli/main.ts']],
  // Left to the bundler, since no verb's help may bring what only other verbs need.
  [null, ['src/cli/program.ts']],
  ['read-plan', ['src/run/input/read-plan.ts']],
] as const;

/** The modules of each chunk by its use. */
const modulesByUse = (context: ChunkingContext) => {
  const verbs = context.getModuleInfo(resolve('src/cli/verb-table.ts'))?.dynamicallyImportedIds;
  return uses.map(([name, paths]) => {
    const ids = paths.map((path) => resolve(path));
    return { name, modules: addImports(name === null ? [...ids, ...(verbs ?? [])] : ids, context) };
  });
};

/**
 * Names the chunk that a module belongs to. `null` leaves it to the bundler, which splits by which of all verbs need a module: it would
 * make forty chunks of what reads a scenario. All that a run needs must not be one chunk: who needs one module of it, such as `validate`, would load
 * the transports too.
 */
const nameChunks = (): ((id: string, context: ChunkingContext) => string | null) => {
  const entryIds = new Set(entries.map((entry) => resolve(`src/${entry}.ts`)));
  let byUse: ReturnType<typeof modulesByUse> | null = null;
  return (id, context) => {
    byUse ??= modulesByUse(context);
    return entryIds.has(id) ? null : (byUse.find(({ modules }) => modules.has(id))?.name ?? null);
  };
};

/** The exports of a chunk that only passes on those of another one, as properties of that one, `e`. */
const passedOn = (code: string): { readonly from: string; readonly names: string } | null => {
  const [, list, from] = /^export\{([^}]*)\}from"\.\/([^"]+)";\s*$/.exec(code) ?? [];
  if (list === undefined || from === undefined) return null;
  const pairs = list.split(',').map((pair) => pair.split(' as '));
  return { from, names: pairs.map(([inner, outer = inner]) => `${outer}:e.${inner}`).join(',') };
};

/** Lets dynamic imports load the chunk that has a module, without a file between that only passes its exports on. */
const skipPassers: Plugin = {
  name: 'skip-passers',
  generateBundle: (_, files) => {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk');
    const passers = new Map<string, NonNullable<ReturnType<typeof passedOn>>>();
    for (const { fileName, code, isEntry } of chunks) {
      const passed = isEntry ? null : passedOn(code);
      if (passed === null) continue;
      passers.set(basename(fileName), passed);
      delete files[fileName];
    }
    for (const chunk of chunks) {
      chunk.code = chunk.code.replaceAll(
        /import\(`([^`]*\/)([^`/]+)`\)/g,
        (whole, folder: string, name: string) => {
          const { from, names } = passers.get(name) ?? {};
          return from === undefined ? whole : `import(\`${folder}${from}\`).then(e=>({${names}}))`;
        },
      );
    }
  },
};

const bundle = async (out: string): Promise<void> => {
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // What the compiler itself brings is bundled, and of packages the two that every command with a scenario loads whole. A path of Windows
    // begins with a letter, too.
    external: /^(?!@oxc-project|(?:zod|yaml)(?:\/|$)|[A-Za-z]:[\\/])[@\w]/,
    plugins: [keepPlaces, skipPassers],
    // As chunks by name demand it.
    preserveEntrySignatures: 'allow-extension',
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
  });
  await bundled.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: true,
    comments: false,
    codeSplitting: {
      groups: [{ name: nameChunks(), debugName: 'purpose' }],
      includeDependenciesRecursively: false,
    },
  });
};

/** Scripts, styles and dashboards are published without what only readers of the source need. */
const minifyAssets = async (out: string): Promise<void> => {
  for (const path of globSync(`${out}/report/html/page/*.js`)) {
    const { code } = await minify(path, readFileSync(path, 'utf8'), {
      // They are one script on the page, and call each other by name.
      mangle: { toplevel: false },
      codegen: { removeWhitespace: true },
    });
    writeFileSync(path, code);
  }
  for (const path of globSync(`${out}/**/*.css`)) {
    const text = readFileSync(path, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    writeFileSync(path, text.replaceAll(/\s*\n\s*/g, '\n').trim());
  }
  for (const path of globSync(`${out}/**/*.json`))
    writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
};

/** Builds into a folder that does not exist yet, whose name is `dist`. Throws if that fails. */
export const buildInto = async (out: string): Promise<void> => {
  cpSync('src', out, { recursive: true, filter: isAsset });
  await minifyAssets(out);
  declare(out);
  await bundle(out);
};
