import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { importScenario, isModule } from './scenario-module.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-modules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const weir = join(folder, 'weir.mjs');
writeFileSync(
  weir,
  'export const defineScenario = (scenario) => ({ ...scenario, by: "this Weir" });',
);
writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}');

const load = (name: string, text: string): Promise<unknown> => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return importScenario(path, pathToFileURL(weir));
};

describe('a scenario in a module', () => {
  it.each(['a.ts', 'a.mts', 'a.js', 'a.mjs'])(
    'in %s is its default export, whatever package.json says',
    async (name) => {
      expect(isModule(name)).toBe(true);
      expect(await load(name, 'export default { name: "x" };')).toEqual({ name: 'x' });
    },
  );

  it('is what a function returns, at once or later', async () => {
    expect(await load('b.js', 'export default () => ({ n: 1 });')).toEqual({ n: 1 });
    expect(await load('c.ts', 'export default async (): Promise<object> => ({ n: 2 });')).toEqual({
      n: 2,
    });
  });

  it.each(['weir-bench', 'weir'])('imports the running Weir as %s', async (name) => {
    const text = `import { defineScenario } from '${name}'; export default defineScenario({ n: 3 });`;
    expect(await load(`${name}.ts`, text)).toEqual({ n: 3, by: 'this Weir' });
  });

  it('imports other TypeScript beside it, and other packages as ever', async () => {
    writeFileSync(join(folder, 'part.ts'), 'export const n: number = 4;');
    const text = `import { n } from './part.ts'; import { sep } from 'node:path'; export default { n, sep };`;
    expect(await load('d.ts', text)).toEqual({ n: 4, sep: '/' });
  });

  it.each([
    [
      'e.js',
      '\n\nthrow new Error("no network");',
      /e\.js:3(:\d+)?: the scenario file cannot be loaded: no network/,
    ],
    ['f.js', 'throw "text";', /f\.js: the scenario file cannot be loaded: text/],
    ['g.js', 'export const n = 1;', /g\.js exports no scenario: end it with export default/],
    ['h.js', 'export default () => undefined;', /h\.js exports no scenario/],
    [
      'i.ts',
      'import "nothing-of-this-name"; export default {};',
      /i\.ts.*cannot be loaded: .*nothing-of-this-name/,
    ],
  ])('in %s that gives none is a sentence with its place', async (name, text, message) => {
    await expect(load(name, text)).rejects.toThrow(message);
  });

  it('in TypeScript below node_modules says that Node does not read it there', async () => {
    mkdirSync(join(folder, 'node_modules', 'x'), { recursive: true });
    await expect(load('node_modules/x/a.ts', 'export default {} as object;')).rejects.toThrow(
      'Node.js does not read TypeScript below node_modules: copy the scenario to another folder',
    );
  });

  it('is no YAML or JSON', () => {
    expect(['a.yaml', 'a.json', 'a', 'ts', 'a.ts.yaml'].map(isModule)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
