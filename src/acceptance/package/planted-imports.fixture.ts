import { dirname, join, relative } from 'node:path';

/** The architecture's tables, written down a second time, and lines that are planted in each folder to try them. */

const stages = [
  'schedule',
  'traffic',
  'record',
  'scenario',
  'workload',
  'judge',
  'report',
  'platform',
] as const;
const belowRun = ['model', 'contract', ...stages, 'engine', 'mock'] as const;

/** The architecture's table, written down a second time: what each room may import. */
const mayImport = {
  model: [],
  contract: [],
  schedule: ['model'],
  traffic: ['model', 'contract'],
  record: ['model'],
  scenario: ['model'],
  workload: ['model'],
  judge: ['model'],
  report: ['model'],
  platform: ['model'],
  engine: ['model', 'contract', 'schedule', 'traffic', 'record'],
  mock: ['model', 'contract'],
  run: belowRun,
  cli: [...belowRun, 'run'],
  library: [...belowRun, 'run'],
  acceptance: 'all',
  proving: 'all',
  bench: 'all',
} as const;
type Room = keyof typeof mayImport;
const rooms: readonly Room[] = Object.keys(mayImport).filter(
  (name): name is Room => name in mayImport,
);
const everywhere: readonly Room[] = ['acceptance', 'proving', 'bench'];

const experiment = ['model', 'contract', 'traffic', 'record', 'judge', 'engine'] as const;

/** What each sub-folder of a wing may import; `.` is the wing itself. */
const mayImportInWing = {
  model: ['model', 'contract'],
  judge: ['model', 'judge'],
  report: ['model', 'report'],
  readers: ['model', 'scenario'],
  reading: experiment,
  topics: experiment,
  suite: experiment,
  experiment,
  '.': [...belowRun, 'run'],
  cli: [...belowRun, 'run', 'cli'],
} as const;
type WingFolder = keyof typeof mayImportInWing;
const wingFolders: readonly WingFolder[] = Object.keys(mayImportInWing).filter(
  (name): name is WingFolder => name in mayImportInWing,
);

/** A room, or `wing/` with a sub-folder. */
type Folder = Room | `wing/${WingFolder}`;
export const folders: readonly Folder[] = [
  ...rooms,
  ...wingFolders.map((name): Folder => `wing/${name}`),
];
/** Which folders may use all modules of Node. */
const touchers: readonly Folder[] = ['platform', 'mock', 'cli', 'wing/cli'];

const knowZod: readonly Folder[] = [
  ...(['model', 'contract', 'scenario', 'platform', 'mock', 'run', 'cli'] as const),
  ...(['wing/model', 'wing/readers', 'wing/.', 'wing/cli'] as const),
];

/** Which folders know a package, beside those that may use any. */
const knownBy: Readonly<Record<string, readonly Folder[]>> = {
  zod: knowZod,
  'zod/mini': knowZod,
  'hdr-histogram-js': [],
  yaml: ['scenario', 'wing/readers'],
  'fastest-levenshtein': ['scenario', 'traffic'],
  'structured-headers': ['traffic'],
  'music-metadata': ['platform', 'mock'],
  '@fastify/busboy': ['mock'],
  cephes: ['judge'],
  undici: ['platform'],
  yargs: ['cli', 'wing/cli'],
  'yargs/helpers': ['cli', 'wing/cli'],
  uplot: [],
  vitest: [],
  'fast-check': [],
  '@scope/unheard-of': [],
  'node:path': [...touchers, 'run', 'wing/.'],
  'node:fs': touchers,
  'node:process': touchers,
  'node:timers/promises': touchers,
  'node:worker_threads': touchers,
  'node:zlib': folders,
  'node:util': folders,
};

/** Every way to use a clock, a timer, random numbers, the process or the network. */
const worldly = [
  'Date.now()',
  'Date["now"]()',
  'new Date()',
  'Date()',
  'globalThis.Date.now()',
  'new globalThis.Date()',
  '[Date]',
  'performance.now()',
  'globalThis.performance',
  'setTimeout(() => 0, 1)',
  'setInterval(() => 0, 1)',
  'setImmediate(() => 0)',
  'globalThis.setTimeout(() => 0, 1)',
  'globalThis["setInterval"]',
  'global.setImmediate',
  'globalThis.globalThis.setTimeout',
  '[globalThis]',
  'Math.random()',
  'Math["random"]',
  '[Math]',
  'globalThis.Math.random',
  'AbortSignal.timeout(1)',
  'crypto.randomUUID()',
  'fetch("http://localhost")',
];
const harmless = [
  'new Date(0)',
  'Date.UTC(2026, 0)',
  'new globalThis.Date(0)',
  'Math.max(1, 2)',
  'globalThis.Math.max(1, 2)',
  'new AbortController().signal',
  '((setTimeout: number) => setTimeout)(1)',
  '{ performance: 1 }.performance',
  '(null as Date | Map<string, typeof performance> | null)',
  '(null as Intl.NumberFormat | null)',
];

/** One line of a planted file, and whether the linter must refuse it. */
export interface Planted {
  readonly line: string;
  readonly refused: boolean;
}

export const passes = (line: string): Planted => ({ line, refused: false });
export const refuses = (line: string): Planted => ({ line, refused: true });
const plant = (line: string, allowed: boolean): Planted => ({ line, refused: !allowed });

/** All the ways to write an import; `n` keeps the names apart. */
const formsOf = (path: string, n: number): readonly string[] => [
  `import { a as a${n} } from '${path}';`,
  `import type { B as B${n} } from '${path}';`,
  `import '${path}';`,
  `export { c as c${n} } from '${path}';`,
  `export type * from '${path}';`,
  `export const d${n} = import('${path}');`,
  `export const e${n} = import(\`${path}\`);`,
  `export type F${n} = import('${path}').F;`,
  `export type G${n} = typeof import('${path}');`,
];

/** A wing that no door but that of the verb table leads to. */
const wing = 'verbs/history';

const isEverywhere = (folder: Folder): boolean => everywhere.some((room) => room === folder);

const importsOf = (folder: Folder, target: string): boolean => {
  if (folder === target || isEverywhere(folder)) return true;
  const allowed: readonly string[] = folder.startsWith('wing/')
    ? mayImportInWing[folder.slice('wing/'.length) as WingFolder]
    : [mayImport[folder as Room]].flat();
  return allowed.includes(target);
};

/** The path of the file that is planted in a folder. */
export const plantedIn = (folder: Folder): string =>
  join('src', folder.replace(/^wing/, wing), 'planted.ts');

/** One line of each kind, planted in a folder. */
export const gardenOf = (folder: Folder): readonly Planted[] => {
  const source = relative(dirname(plantedIn(folder)), 'src');
  const imports = [...rooms, 'verbs/compare'].flatMap((target, n) =>
    formsOf(`${source}/${target}/noun.ts`, n).map((line) => plant(line, importsOf(folder, target))),
  );
  const packages = Object.entries(knownBy).flatMap(([name, knowers], n) =>
    formsOf(name, 100 + n).map((line) =>
      plant(line, knowers.includes(folder) || isEverywhere(folder)),
    ),
  );
  const chance = touchers.includes(folder) || isEverywhere(folder);
  const free = folder === 'platform' || isEverywhere(folder);
  const isCli = folder === 'cli' || folder === 'wing/cli';
  return [
    ...imports,
    ...packages,
    passes(`import { createHash } from 'node:crypto';`),
    plant(`import { randomBytes } from 'node:crypto';`, chance),
    plant(`import * as all from 'node:crypto';`, chance),
    plant(`import manifest from '${source}/../package.json';`, isEverywhere(folder)),
    plant(`export const computed = (path: string) => import(path);`, chance),
    ...worldly.map((expression, n) => plant(`export const w${n} = ${expression};`, free)),
    ...harmless.map((expression, n) => passes(`export const h${n} = ${expression};`)),
    plant('export const argv = process.argv;', free || isCli),
    plant('export const exit = globalThis.process;', free || isCli),
    plant('export const say = () => console.log(1);', free || isCli),
  ];
};
