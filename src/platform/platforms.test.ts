import { globSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** What differs from system to system. Sockets, threads and paths of `node:path` do not. */
const systemCalls =
  /\bprocess\.(?:platform|kill|report|memoryUsage)\b|\/proc\/|\/sys\/fs|'\/run\/|\/dev\/|'taskset'|'node:(?:os|child_process)'|\.kill\('|'SIG[A-Z]+'|\bsetPriority\b|\blink\(/;

/** Source files that ship, by their path from the root. */
const shipped = globSync('src/**/*.{ts,js,mjs}', { cwd: root })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => !/\.(?:test|fixture)\.ts$|^src\/(?:acceptance|bench|proving)\//.test(path));

const codeOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');

it('PLATFORMS.md has a row for each file that asks the system for something, and for no other', () => {
  const table = readFileSync(join(import.meta.dirname, 'PLATFORMS.md'), 'utf8');
  const rows = [...table.matchAll(/^\| `(src\/\S+)` \|/gm)].map(([, path = '']) => path);
  const callers = shipped.filter((path) => systemCalls.test(codeOf(path)));
  expect(rows.toSorted()).toEqual(callers.toSorted());
  expect(rows.filter((path) => !path.startsWith('src/platform/'))).toHaveLength(3);
});

it('no path is made of the address of a module, which Windows writes in another way', () => {
  const scripts = ['.package', '.ci', '.github/actions/weir', 'src'].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,js,mjs}`, { cwd: root }),
  );
  const wrong = scripts.filter((path) =>
    /import\.meta\.url\)\.pathname/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

it('nothing has npm install the development packages for an installation from git', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  // So npm's GitFetcher decides; `prepublish` and the like are not asked for.
  const causes = ['postinstall', 'build', 'preinstall', 'install', 'prepack', 'prepare'];
  expect(Object.keys(manifest.scripts).filter((name) => causes.includes(name))).toEqual([]);
  expect(manifest).not.toHaveProperty('workspaces');
});

it('npm ci, start, test and the package start programs that every system has', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  for (const name of ['start', 'weir', 'test', 'schema', 'package'] as const)
    expect(scripts[name]).toMatch(/^(?:node|vitest) [^'$]*$/);
  // npm writes no `node` into node_modules/.bin for these systems.
  const launcher = JSON.parse(readFileSync(join(root, '.runtime/any/package.json'), 'utf8')) as {
    os: readonly string[];
  };
  expect(launcher.os).toEqual(['linux']);
});
