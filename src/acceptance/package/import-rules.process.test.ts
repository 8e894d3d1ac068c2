import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The architecture's table, written down a second time: what each folder may import. */
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
  probe: ['model', 'contract', 'traffic', 'record', 'judge', 'engine'],
  run: 'all but cli, acceptance, proving and bench',
  cli: 'all but acceptance, proving and bench',
  acceptance: 'all',
  proving: 'all',
  bench: 'all',
} as const;
type Folder = keyof typeof mayImport;
const folders: readonly Folder[] = Object.keys(mayImport).filter(
  (name): name is Folder => name in mayImport,
);
const everywhere: readonly Folder[] = ['acceptance', 'proving', 'bench'];
/** Which folders may use all modules of Node. */
const touchers: readonly Folder[] = ['platform', 'mock', 'cli'];

/** Which folders know a package, beside those that may use any. */
const knownBy: Readonly<Record<string, readonly Folder[]>> = {
  zod: ['model', 'contract', 'scenario', 'platform', 'mock', 'run', 'cli'],
  'zod/mini': ['model', 'contract', 'scenario', 'platform', 'mock', 'run', 'cli'],
  'hdr-histogram-js': [],
  yaml: ['scenario'],
  'fastest-levenshtein': ['scenario', 'traffic'],
  'structured-headers': ['traffic'],
  'music-metadata': ['platform', 'mock'],
  '@fastify/busboy': ['mock'],
  undici: ['platform'],
  yargs: ['cli'],
  'yargs/helpers': ['cli'],
  uplot: [],
  vitest: [],
  'fast-check': [],
  '@scope/unheard-of': [],
  'node:path': [...touchers, 'run'],
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
interface Planted {
  readonly line: string;
  readonly refused: boolean;
}

const passes = (line: string): Planted => ({ line, refused: false });
const refuses = (line: string): Planted => ({ line, refused: true });
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

const importsOf = (folder: Folder, target: Folder): boolean => {
  const allowed: readonly string[] | string = mayImport[folder];
  if (allowed === 'all' || folder === target) return true;
  if (typeof allowed === 'string') {
    return !everywhere.includes(target) && !(folder === 'run' && target === 'cli');
  }
  return allowed.includes(target);
};

/** One line of each kind, planted in a folder. */
const gardenOf = (folder: Folder): readonly Planted[] => {
  const imports = folders.flatMap((target, n) =>
    formsOf(`../${target}/noun.ts`, n).map((line) => plant(line, importsOf(folder, target))),
  );
  const packages = Object.entries(knownBy).flatMap(([name, knowers], n) =>
    formsOf(name, 100 + n).map((line) =>
      plant(line, knowers.includes(folder) || everywhere.includes(folder)),
    ),
  );
  const chance = [...touchers, ...everywhere].includes(folder);
  const free = folder === 'platform' || everywhere.includes(folder);
  return [
    ...imports,
    ...packages,
    passes(`import { createHash } from 'node:crypto';`),
    plant(`import { randomBytes } from 'node:crypto';`, chance),
    plant(`import * as all from 'node:crypto';`, chance),
    plant(`import manifest from '../../../package.json';`, everywhere.includes(folder)),
    plant(`export const computed = (path: string) => import(path);`, chance),
    ...worldly.map((expression, n) => plant(`export const w${n} = ${expression};`, free)),
    ...harmless.map((expression, n) => passes(`export const h${n} = ${expression};`)),
    plant('export const argv = process.argv;', free || folder === 'cli'),
    plant('export const exit = globalThis.process;', free || folder === 'cli'),
    plant('export const say = () => console.log(1);', free || folder === 'cli'),
  ];
};

/** Files that are granted more than their folder. */
const exceptional: Readonly<Record<string, readonly Planted[]>> = {
  'src/mock/clock/real-clock.ts': [
    passes('export const a = performance.now();'),
    refuses(`import { b } from '../platform/noun.ts';`),
  ],
  'src/schedule/noun.test.ts': [
    passes(`import { a } from 'vitest';`),
    passes(`import { b } from 'fast-check';`),
    passes(`import { c } from 'node:fs';`),
    refuses(`import { d } from '../record/noun.ts';`),
    refuses(`import { e } from 'undici';`),
    refuses('export const f = Math.random();'),
  ],
  'src/platform/noun.test.ts': [passes('export const a = setTimeout(() => 0, 1);')],
  'src/platform/noun.fixture.ts': [passes(`import { a } from 'vitest';`)],
  'src/report/html/page/noun.ts': [
    passes(`import { a } from 'uplot';`),
    passes(`import { b } from '../../../model/noun.ts';`),
    passes('export const c = performance.now();'),
    refuses(`import { d } from '../../../record/noun.ts';`),
    refuses(`import { e } from 'node:fs';`),
  ],
  'src/report/deep/er/noun.ts': [refuses(`import { a } from '../../../record/noun.ts';`)],
  // Inside a room imports go one way.
  'src/model/plan/noun.ts': [
    passes(`import { a } from '../workload/noun.ts';`),
    passes(`import { b } from '../quantity.ts';`),
    passes(`import { c } from './other.ts';`),
    refuses(`import { d } from '../result/noun.ts';`),
    refuses(`import type { E } from '../result/noun.ts';`),
  ],
  'src/model/gateway/noun.ts': [refuses(`import { a } from '../observation/noun.ts';`)],
  'src/model/noun.ts': [refuses(`import { a } from './plan/noun.ts';`)],
  'src/model/workload/noun.test.ts': [passes(`import { a } from '../result/noun.ts';`)],
  'src/model/unheard-of/noun.ts': [refuses(`import { a } from '../quantity.ts';`)],
  'src/run/workers/noun.ts': [refuses(`import { a } from '../noun.ts';`)],
  'src/common/noun.ts': [refuses('export const homeless = 1;')],
  'src/record/types.ts': [refuses('export const nameless = 1;')],
  'src/record/utils/noun.ts': [refuses('export const nameless = 1;')],
  'src/noun.ts': [refuses('export const homeless = 1;')],
};

/** Violations of the rules about names and folder sizes. */
const misnamed: Readonly<Record<string, readonly Planted[]>> = {
  'src/engine/twice.ts': [refuses('export const exportedTwice = 1;')],
  'src/record/twice.ts': [refuses('export type exportedTwice = 1;')],
  // One file more than a folder may have, reported at the first; tests and fixtures do not count.
  ...Object.fromEntries(
    Array.from({ length: 26 }, (_, n) => [
      `src/judge/crowded/noun-${String(n).padStart(2, '0')}.ts`,
      [n === 0 ? refuses('export {};') : passes('export {};')],
    ]),
  ),
  'src/judge/crowded/a.test.ts': [passes('export {};')],
};

/**
 * Functions that V8 would keep as long as old objects, in a room that makes them for each request and in one that does
 * not.
 */
const pretenured: Readonly<Record<string, readonly Planted[]>> = {
  'src/engine/pretenured.ts': [
    refuses('export const a = (b: { c: () => void }) => { b.c = () => undefined; };'),
    refuses('export const d = (e: number) => ({ get f() { return e; } });'),
    passes('export const g = (h: { i: () => void }, j: () => void) => { h.i = j; };'),
    passes('export const k = (l: number) => ({ m: () => l });'),
  ],
  'src/judge/pretenured.ts': [
    passes('export const n = (o: { p: () => void }) => { o.p = () => undefined; };'),
  ],
};

/** Proof that the other rules, including the type-aware ones, are active. */
const habits: Readonly<Record<string, readonly string[]>> = {
  'typescript(no-floating-promises)': ['export const a = () => { Promise.resolve(1); };'],
  'typescript(no-misused-promises)': [
    'export const b = () => { if (Promise.resolve(1)) return; };',
  ],
  'typescript(switch-exhaustiveness-check)': [
    `export const c = (kind: 'one' | 'two') => { switch (kind) { case 'one': break; } };`,
  ],
  'typescript(no-explicit-any)': ['export const d = (one: any) => [one];'],
  'typescript(consistent-type-imports)': [
    `import { N } from './other.ts';`,
    'export const e = (n: N) => n;',
  ],
  'import(no-cycle)': [
    `import type { Circle } from './circle.ts';`,
    'export type Around = Circle;',
  ],
  'import(no-default-export)': ['export default 1;'],
  'eslint(eqeqeq)': ['export const f = (n: number) => n == 1;'],
  'eslint(max-params)': ['export const g = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];'],
  'eslint(max-lines)': Array.from({ length: 276 }, () => '//'),
  'eslint(max-lines-per-function)': [
    'export const h = () => {',
    ...Array.from({ length: 60 }, () => '//'),
    '};',
  ],
};

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.int() }) })),
    }),
  ),
});

let root = '';
let found: z.infer<typeof reportSchema>['diagnostics'] = [];

const write = async (path: string, lines: readonly string[]): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `${lines.join('\n')}\n`);
};

const lint = async (): Promise<string> => {
  const program = resolve('node_modules/oxlint/bin/oxlint');
  const options = { cwd: root, maxBuffer: 1 << 26 };
  try {
    return (await promisify(execFile)(process.execPath, [program, '-f', 'json', 'src'], options))
      .stdout;
  } catch (failure) {
    return z.object({ code: z.literal(1), stdout: z.string() }).parse(failure).stdout;
  }
};

const wallRules = ['weir(walls)', 'weir(world)'];
const nameRules = ['weir(names)', 'weir(room-size)'];

/** The lines of a planted file that the rules refuse. */
const refusedIn = (
  path: string,
  planted: readonly Planted[],
  rules: readonly string[],
): readonly string[] => {
  const lines = found
    .filter((one) => one.filename === path && rules.includes(one.code))
    .map((one) => one.labels[0]?.span.line ?? 0);
  return planted.filter((_, n) => lines.includes(n + 1)).map((one) => one.line);
};

const mustRefuse = (planted: readonly Planted[]): readonly string[] =>
  planted.filter((one) => one.refused).map((one) => one.line);

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'weir-walls-')));
  for (const path of ['.oxlintrc.json', '.oxlint', 'tsconfig.json']) {
    await cp(path, join(root, path), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  for (const folder of folders) {
    await write(
      `src/${folder}/planted.ts`,
      gardenOf(folder).map((one) => one.line),
    );
  }
  for (const [path, planted] of Object.entries({ ...exceptional, ...misnamed, ...pretenured })) {
    await write(
      path,
      planted.map((one) => one.line),
    );
  }
  for (const [n, lines] of Object.values(habits).entries()) {
    await write(`src/model/habit-${n}.ts`, lines);
  }
  await write('src/model/circle.ts', [
    ...Object.keys(habits).flatMap((code, n) =>
      code === 'import(no-cycle)' ? [`import type { Around } from './habit-${n}.ts';`] : [],
    ),
    'export type Circle = Around;',
  ]);
  found = reportSchema.parse(JSON.parse(await lint())).diagnostics;
}, 60_000);

afterAll(() => rm(root, { recursive: true, force: true }));

describe('the import rules between folders', () => {
  it.each(folders)('%s may import exactly what the map allows', (folder) => {
    const planted = gardenOf(folder);
    expect(refusedIn(`src/${folder}/planted.ts`, planted, wallRules)).toEqual(mustRefuse(planted));
  });

  it.each(Object.entries(exceptional))('%s may import only its own exceptions', (path, planted) => {
    expect(refusedIn(path, planted, wallRules)).toEqual(mustRefuse(planted));
  });

  it.each(Object.entries(misnamed))('%s follows the rules of names and sizes', (path, planted) => {
    expect(refusedIn(path, planted, nameRules)).toEqual(mustRefuse(planted));
  });
});

describe('the project’s other rules', () => {
  it.each(Object.entries(pretenured))(
    '%s makes no functions that live as long as old objects',
    (path, planted) => {
      expect(refusedIn(path, planted, ['weir(young-closures)'])).toEqual(mustRefuse(planted));
    },
  );

  it.each(Object.keys(habits).map((code, n) => [code, n] as const))(
    '%s refuses a planted violation',
    (code, n) => {
      const codes = found
        .filter((one) => one.filename === `src/model/habit-${n}.ts`)
        .map((one) => one.code);
      expect(codes).toContain(code);
    },
  );
});
