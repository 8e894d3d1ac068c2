import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'weir-compiled-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

type CompileOnce = (rename: (from: string, to: string) => void) => void;

it.each(['EPERM', 'EEXIST', 'ENOTEMPTY'])(
  'a build that another first start has renamed before is taken, if that is said by %s',
  async (code) => {
    const platform = join(home, 'src', 'platform');
    mkdirSync(platform, { recursive: true });
    const copy = join(platform, 'compiled-source.js');
    copyFileSync(join(import.meta.dirname, 'compiled-source.js'), copy);
    writeFileSync(join(home, 'src', 'word.ts'), 'export const word: string = "own";');
    const { compileOnce } = (await import(`${pathToFileURL(copy).href}?${code}`)) as {
      readonly compileOnce: CompileOnce;
    };
    const fail = (): never => {
      throw Object.assign(new Error(`${code}: operation not permitted`), { code });
    };
    expect(() => compileOnce(fail)).toThrow(`at its first start, which failed (${code}: `);
    expect(readdirSync(home)).toEqual(['src']);
    compileOnce((_, built) => {
      mkdirSync(built);
      writeFileSync(join(built, 'word.js'), 'of the other');
      fail();
    });
    expect(readdirSync(home)).toEqual(['dist', 'src']);
    expect(readdirSync(join(home, 'dist'))).toEqual(['word.js']);
  },
);
