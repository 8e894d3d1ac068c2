import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  folders,
  gardenOf,
  passes,
  plantedIn,
  type Planted,
  refuses,
} from './planted-imports.fixture.ts';

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
  'src/probe/noun.ts': [refuses('export const homeless = 1;')],
  'src/verbs/noun.ts': [refuses('export const homeless = 1;')],
};

/** The doors of wings, and what they keep out. */
const doors: Readonly<Record<string, readonly Planted[]>> = {
  'src/cli/verb-table.ts': [
    passes(`import { a } from '../verbs/history/cli/history.ts';`),
    refuses(`import { b } from '../verbs/history/history.ts';`),
  ],
  'src/cli/noun.ts': [refuses(`import { a } from '../verbs/history/cli/history.ts';`)],
  'src/cli/verbs/run.ts': [
    passes(`import { a } from '../../verbs/compare/repeat.ts';`),
    refuses(`import { b } from '../../verbs/compare/publish-comparison.ts';`),
  ],
  'src/cli/verbs/noun.ts': [refuses(`import { a } from '../../verbs/compare/repeat.ts';`)],
  'src/library/noun.ts': [
    passes(`import { a } from '../verbs/check/library.ts';`),
    refuses(`import { b } from '../verbs/check/check.ts';`),
  ],
  'src/run/noun.ts': [
    refuses(`import { a } from '../verbs/check/library.ts';`),
    refuses(`import type { B } from '../verbs/compare/repeat.ts';`),
  ],
  'src/verbs/check/noun.ts': [
    passes(`import { a } from '../limits/examination.ts';`),
    passes(`import { b } from '../limits/experiment/probe-requests.ts';`),
    refuses(`import { c } from '../limits/limits.ts';`),
    refuses(`import { d } from '../limits/experiment/overload.ts';`),
  ],
  'src/verbs/check/topics/noun.ts': [refuses(`import { a } from '../../limits/examination.ts';`)],
  'src/verbs/init/noun.ts': [passes(`import { a } from '../limits/examination.ts';`)],
  'src/verbs/compare/cli/compare.ts': [
    passes(`import { a } from '../../check/compare-stored-checks.ts';`),
    refuses(`import { b } from '../../check/check.ts';`),
  ],
  'src/verbs/emit/noun.ts': [
    passes(`import { a } from 'yaml';`),
    passes(`import { b } from '../fleet/hand-over-plan.ts';`),
    refuses(`import { c } from '../fleet/coordinate.ts';`),
  ],
  'src/verbs/sweep/judge/noun.ts': [
    passes(`import { a } from '../../capacity/judge/fit-scalability.ts';`),
    refuses(`import { b } from '../../capacity/judge/next-step.ts';`),
  ],
  'src/verbs/history/noun.test.ts': [
    passes(`import { a } from '../compare/repeat.ts';`),
    passes('export const b = setTimeout(() => 0, 1);'),
  ],
};

/** Inside a wing imports go one way, too. */
const withinWing: Readonly<Record<string, readonly Planted[]>> = {
  'src/verbs/history/model/noun.ts': [refuses(`import { a } from '../judge/noun.ts';`)],
  'src/verbs/history/judge/noun.ts': [
    passes(`import { a } from '../model/noun.ts';`),
    refuses(`import { b } from '../report/noun.ts';`),
    refuses(`import { c } from '../noun.ts';`),
  ],
  'src/verbs/history/report/noun.ts': [
    passes(`import { a } from '../model/noun.ts';`),
    refuses(`import { b } from '../judge/noun.ts';`),
  ],
  'src/verbs/history/noun.ts': [
    passes(`import { a } from './report/noun.ts';`),
    refuses(`import { b } from './cli/history.ts';`),
  ],
  'src/verbs/history/cli/noun.ts': [passes(`import { a } from '../noun.ts';`)],
  'src/verbs/history/unheard-of/noun.ts': [
    refuses(`import { a } from '../model/noun.ts';`),
    refuses(`import { b } from '../../../model/noun.ts';`),
  ],
  'src/verbs/limits/judge/facts/noun.ts': [
    passes(`import { a } from '../../model/noun.ts';`),
    refuses(`import { b } from '../limiter/noun.ts';`),
  ],
  'src/verbs/limits/judge/limiter/noun.ts': [
    passes(`import { a } from '../facts/noun.ts';`),
    refuses(`import { b } from '../noun.ts';`),
  ],
  'src/verbs/check/reading/noun.ts': [refuses(`import { a } from '../topics/noun.ts';`)],
  'src/verbs/check/suite/noun.ts': [
    passes(`import { a } from '../topics/noun.ts';`),
    refuses(`import { b } from '../noun.ts';`),
  ],
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
  'eslint(max-params)': [
    'export const g = (a: 1, b: 1, c: 1, d: 1, e: 1, f: 1) => [a, b, c, d, e, f];',
  ],
  'eslint(max-lines)': Array.from({ length: 401 }, () => '//'),
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
      plantedIn(folder),
      gardenOf(folder).map((one) => one.line),
    );
  }
  for (const [path, planted] of Object.entries({
    ...exceptional,
    ...doors,
    ...withinWing,
    ...misnamed,
    ...pretenured,
  })) {
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
    expect(refusedIn(plantedIn(folder), planted, wallRules)).toEqual(mustRefuse(planted));
  });

  it.each(Object.entries(exceptional))('%s may import only its own exceptions', (path, planted) => {
    expect(refusedIn(path, planted, wallRules)).toEqual(mustRefuse(planted));
  });

  it.each(Object.entries(doors))('%s may enter wings by its doors only', (path, planted) => {
    expect(refusedIn(path, planted, wallRules)).toEqual(mustRefuse(planted));
  });

  it.each(Object.entries(withinWing))('%s may import only what lies below', (path, planted) => {
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
