import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { publishedResult } from '../harness/published-result.fixture.ts';
import { filesLoadedBy } from '../../cli/loaded-files.fixture.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { type StartedProgram, startProgram } from '../harness/weir-process.fixture.ts';
import {
  checkout,
  foldersOfNode,
  manifest,
  npmOrFail,
  packInto,
  scratchFolder,
} from './install.fixture.ts';

/** The published form: packed in this checkout, installed in an empty folder, run by a plain Node. */

// Packing, and three installations from the registry.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const stale = join(checkout, 'dist');
const staleModules = ['cli/main.js', 'library/library.js', 'stale.js'];

let folders: Awaited<ReturnType<typeof scratchFolder>>;
/** The user's folder, and the package in it. */
let project: string;
let installed: string;
let files: readonly string[];

/** A build that must never run. */
const plantStaleBuild = async (): Promise<void> => {
  for (const name of staleModules) {
    await mkdir(dirname(join(stale, name)), { recursive: true });
    await writeFile(join(stale, name), 'throw new Error("a stale build ran");');
  }
};

const scenario = (module: boolean): string => `
  ${module ? "import { defineScenario } from 'weir-bench';\nexport default defineScenario(" : ''}{
    traffic: [
      { kind: 'chat-stream', model: 'weir/small', maxTokens: 5 },
      { kind: 'models' },
    ],
    load: { kind: 'constant', rate: '20/s', duration: '2s' },
    mock: { ttft: '20ms', gap: '2ms' },
  }${module ? ')' : ''}`;

/** The example in the README of the library. */
const libraryReadme = await readFile(join(checkout, 'src', 'library', 'README.md'), 'utf8');
const [, example = ''] = /```js\n(import .*?)```/s.exec(libraryReadme) ?? [];

beforeAll(async () => {
  folders = await scratchFolder();
  await plantStaleBuild();
  const tarball = await packInto(folders.path);
  project = await folders.emptyProject('project');
  await npmOrFail(['install', tarball], project);
  installed = join(project, 'node_modules', 'weir-bench');
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
  await writeFile(join(project, 'short.yaml'), scenario(false));
  await writeFile(join(project, 'short.ts'), scenario(true));
});

afterAll(async () => {
  await folders.remove();
  await rm(stale, { recursive: true, force: true });
});

describe('the package', () => {
  it('contains the program and its data, and nothing else', async () => {
    const places = [
      /^(LICENSE|README\.md|package\.json|src\/cli\/weir\.js)$/,
      /^(reports\/[a-z-]+|src\/(library|mock|verbs\/[a-z-]+)\/README|\.github\/(CHANGELOG|SECURITY))\.md$/i,
      /^dist\/([\w/-]+\.(js|css|d\.ts)|chunks\/[\w.-]+\.js|mock\/(Dockerfile|base-image\.sh)|verbs\/emit\/[\w-]+\.(sh|yaml))$/,
      /^(scenarios|fixtures\/speech)\/[^/]+$/,
      /^fixtures\/prompts\/words\.txt$/,
      /^dist\/report\/grafana\/weir\.json$/,
      /^fixtures\/images\/[a-z]+\.(png|jpg)$/,
    ];
    expect(files.filter((file) => !places.some((place) => place.test(file)))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        '.github/CHANGELOG.md',
        'LICENSE',
        'dist/cli/main.js',
        'dist/report/html/page/page.css',
        'scenarios/quickstart.yaml',
        'scenarios/schema.json',
        'dist/library/library.d.ts',
        'dist/library/library.js',
        'dist/mock/Dockerfile',
        'dist/run/workers/worker.js',
      ]),
    );
    expect(files.filter((file) => /\.(test|fixture)\.|stale|bench/.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(100);
  });

  it('contains everything that its README links to', async () => {
    const text = await readFile(join(installed, 'README.md'), 'utf8');
    // Of a picture, its text stays.
    const links = [...text.matchAll(/(?<!!)\[[^\]]*\]\(([^)#]+)/g)].map(([, link]) => link!);
    const local = links.filter((link) => !link.includes('://'));
    expect(local.length).toBeGreaterThan(1);
    expect(local.filter((link) => !files.includes(link))).toEqual([]);
  });

  it('is small', async () => {
    const program = files.filter((file) => !/^(fixtures|reports)/.test(file));
    const sizes = await Promise.all(program.map((file) => stat(join(installed, file))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_500_000);
  });

  it('loads few files at a start: its chunks bring no others along', () => {
    const launcher = join(installed, 'src', 'cli', 'weir.js');
    const scenarioFile = join(installed, 'scenarios', 'quickstart.yaml');
    const loaded = (...words: readonly string[]) => filesLoadedBy(launcher, words);
    expect(loaded('--version').length).toBeLessThanOrEqual(5);
    expect(loaded('worker', '--help').length).toBeLessThanOrEqual(40);
    const isOwn = (path: string): boolean => path.startsWith(installed);
    const toValidate = loaded('validate', scenarioFile).filter(isOwn);
    expect(toValidate.length, toValidate.join('\n')).toBeLessThanOrEqual(50);
  });

  it('contains every file that its program reads from its own folders', async () => {
    const missing: string[] = [];
    let found = 0;
    const source = join(checkout, 'src');
    const modules = (await readdir(source, { recursive: true })).filter((name) =>
      /^(?!acceptance|bench|proving).*(?<!\.(test|fixture|d))\.ts$/.test(name),
    );
    for (const file of modules) {
      const text = await readFile(join(source, file), 'utf8');
      for (const [, path = ''] of text.matchAll(
        /new URL\(['`](\.[^'`]+)['`], import\.meta\.url\)/g,
      )) {
        const settled = path.replace('${extname(import.meta.filename)}', '.js');
        if (settled.includes('${')) continue;
        found += 1;
        const place = join('dist', dirname(file), settled);
        const there = files.some(
          (name) => name === place || name.startsWith(place.replace(/\/?$/, '/')),
        );
        if (!there) missing.push(`${file}: ${settled}`);
      }
    }
    expect(missing).toEqual([]);
    expect(found).toBeGreaterThan(8);
  });

  it('has a changelog entry for its version', async () => {
    const changelog = await readFile(join(installed, '.github', 'CHANGELOG.md'), 'utf8');
    expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(manifest.version);
  });

  it('installs neither Node, nor a container library, nor development dependencies', async () => {
    const names = await readdir(join(project, 'node_modules'), { recursive: true });
    const unwanted =
      /(^|\/)(node-(linux|runtime)[\w-]*|testcontainers|hyparquet[\w-]*|vitest|typescript|@types)$/;
    expect(names.filter((name) => unwanted.test(name))).toEqual([]);
  });

  it('is not built in the checkout', async () => {
    const names = await readdir(stale, { recursive: true });
    expect(names.filter((name) => name.endsWith('.js')).toSorted()).toEqual(staleModules);
  });

  it('says nothing of the checkout, such as development packages', async () => {
    const text = await readFile(join(installed, 'package.json'), 'utf8');
    expect(Object.keys(JSON.parse(text) as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(devDependencies|scripts|files|knip)$/)]),
    );
  });

  const compile = async (name: string, text: string): Promise<string> => {
    await writeFile(join(project, name), text);
    const tsc = join(checkout, 'node_modules', '.bin', 'tsc');
    const options = '--noEmit --strict --target es2022 --module nodenext --types'.split(' ');
    const { stdout } = await startProgram([tsc, ...options, '', name], process.env, project).ended;
    return stdout;
  };

  it('provides types with which the library’s example compiles', async () => {
    expect(example.split('\n').length).toBeGreaterThan(20);
    expect(example.split('\n').length).toBeLessThanOrEqual(31);
    expect(await compile('example.mts', example)).toBe('');
    const wrong = example.replace('counts.completed', 'counts.finished');
    expect(await compile('wrong-example.mts', wrong)).toMatch(
      /^wrong-example\.mts\(\d+,.*TS2339: Property 'finished' does not exist/,
    );
  });

  it('provides the types that the source has', async () => {
    const text = `
      import type * as published from 'weir-bench';
      import type * as source from ${JSON.stringify(join(checkout, 'src', 'library', 'library.ts'))};
      type Same<A, B> =
        (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      type SourceReport = Awaited<ReturnType<typeof source.run>>;
      type PublishedReport = Awaited<ReturnType<typeof published.run>>;
      export const same: readonly true[] = [
        0 as never as Same<source.ScenarioInput, published.ScenarioInput>,
        0 as never as Same<SourceReport['result'], PublishedReport['result']>,
        0 as never as Same<SourceReport['summary'], PublishedReport['summary']>,
      ];
      export const other: false = 0 as never as Same<SourceReport['result'], PublishedReport['summary']>;
    `;
    // The brands of two copies of zod are never the same.
    const paths = { zod: [join(checkout, 'node_modules', 'zod')] };
    const typeRoots = [join(checkout, 'node_modules', '@types')];
    const settings = {
      extends: join(checkout, 'tsconfig.json'),
      compilerOptions: { paths, typeRoots, noUnusedLocals: false },
      include: ['same.mts', join(checkout, 'src', '**', '*.d.ts')],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings));
    await writeFile(join(project, 'same.mts'), text);
    const compiler = join(checkout, 'node_modules', '.bin', 'tsc');
    const { stdout } = await startProgram([compiler, '-p', project], process.env, project).ended;
    await rm(join(project, 'tsconfig.json'));
    expect(stdout).toBe('');
  });

  it('has the declarations of its library and no others', () => {
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    expect(declarations).toContain('dist/library/library.d.ts');
    expect(declarations.filter((file) => /^dist\/(cli|engine|platform|mock)\//.test(file))).toEqual(
      [],
    );
  });

  it('provides types with which a scenario compiles', async () => {
    expect(await compile('right.mts', scenario(true))).toBe('');
    const wrong = scenario(true).replace("'20/s'", '20');
    expect(await compile('wrong.mts', wrong)).toMatch(
      /^wrong\.mts\(8,.*TS2322: Type 'number' is not assignable to type 'string'/,
    );
  });
});

describe.each(Object.entries(foldersOfNode))('installed, on %s', (_, folderOfNode) => {
  let folder: string | null;
  beforeAll(async () => {
    folder = await folderOfNode(folders.emptyProject);
  });

  const start = (
    words: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): StartedProgram => {
    const path = [folder, '/usr/bin', '/bin'].join(delimiter);
    const weir = join(project, 'node_modules', '.bin', 'weir');
    return startProgram([weir, ...words], { PATH: path, NO_COLOR: '1', ...more }, project);
  };

  beforeEach((context) => {
    if (folder === null) context.skip('the registry did not give this Node');
  });

  it('prints its version and reads scenarios, including TypeScript', async () => {
    expect(await start(['--version']).ended).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    for (const name of [
      'short.yaml',
      'short.ts',
      'node_modules/weir-bench/scenarios/quickstart.yaml',
    ]) {
      const { code, stdout, stderr } = await start(['validate', name]).ended;
      expect(stderr).toBe('');
      expect(stdout).toContain(`${name} is valid`);
      expect(code).toBe(0);
    }
  });

  it('runs the example of its library', async () => {
    await writeFile(join(project, 'example.mjs'), example);
    const node = join(folder!, 'node');
    const environment = { PATH: '/usr/bin:/bin', WEIR_HISTORY: 'off' };
    const { ended } = startProgram([node, 'example.mjs'], environment, project);
    const { code, stdout, stderr } = await ended;
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => /^[1-9] s: \d+ completed$/.test(line))).not.toEqual([]);
    expect(lines.slice(-3)).toEqual([
      '15 of 15, 15 samples',
      // A machine that is too busy for a load test proves nothing.
      expect.stringMatching(/^objective: (pass|inconclusive)$/),
      expect.stringMatching(/^stricter: \d+\.?\d* ms, p95 \d+\.?\d* ms$/),
    ]);
    expect(code).toBe(0);
    const result = await readFile(join(project, 'reports', 'library', 'result.json'), 'utf8');
    expect(publishedResult(result).gatewayCounters).toMatchObject({ completed: 15 });
  });

  it('says what to do if Node runs without type stripping', async () => {
    const off = { NODE_OPTIONS: '--no-experimental-strip-types' };
    const { code, stderr } = await start(['validate', 'short.ts'], off).ended;
    expect(stderr).toMatch(
      /^weir: short\.ts is TypeScript, but this Node\.js \S+ runs without support for it: use Node\.js 24, or write the scenario in YAML or JavaScript\n$/,
    );
    expect(code).toBe(2);
  });

  it('runs a reference gateway until it is stopped', async () => {
    const { child, ended, waitForOutput } = start(['mock', '--port', '0']);
    let said = '';
    child.stdout?.on('data', (text: string) => {
      said += text;
    });
    await waitForOutput('Ctrl-C ends it');
    const address = (label: string): string =>
      new RegExp(`${label} (http\\S+)`).exec(said)?.[1] ?? '';
    const models = await fetch(`${address('listens on')}/models`, {
      headers: { authorization: 'Bearer sk-weir-test' },
    });
    expect(models.status).toBe(200);
    const counters = await (await fetch(address('Counters:'))).json();
    expect(counters).toMatchObject({ completed: 1, limited: 0 });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it.each(['short.yaml', 'short.ts'])(
    'runs %s in two workers and writes a complete report',
    async (name) => {
      const out = await mkdtemp(join(folders.path, 'out-'));
      const { code, stderr } = await start(['run', name, '--workers', '2', '--out', out]).ended;
      const result = publishedResult(await readFile(join(out, 'result.json'), 'utf8'));
      expect(sumOutcomes(result.groups)).toMatchObject({ completed: 40 });
      expect(result.gatewayCounters).toMatchObject({ completed: 40 });
      // On a busy machine the load generator is overloaded, and Weir says so.
      expect([0, 12]).toContain(code);
      expect(stderr).toContain(`Report: ${join(out, 'report.html')}`);
      const page = await readFile(join(out, 'report.html'), 'utf8');
      expect(page).toMatch(/^<!doctype html>.*uPlot.*<\/html>\s*$/is);
    },
  );
});

describe('the checkout', () => {
  it('runs its source even if it contains a stale build', async () => {
    await plantStaleBuild();
    try {
      const weir = ['exec', '--no', '--', 'weir'];
      expect((await npmOrFail([...weir, '--version'], checkout)).stdout).toBe(
        `${manifest.version}\n`,
      );
      const path = join(project, 'short.ts');
      const { stdout } = await npmOrFail([...weir, 'validate', path], checkout);
      expect(stdout).toContain('is valid');
    } finally {
      await rm(stale, { recursive: true });
    }
  });
});
