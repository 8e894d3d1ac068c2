import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../judge/limits/facts/true-token-limiters.fixture.ts';
import { type Compiler, mutated, openCompiler, randomMutants } from './random-mutants.ts';

const source = `import { basename } from 'node:path';
type Level = 0 | 1;
/** Sums what is above a bound. */
export function sumAbove(values: readonly number[], bound?: number): number {
  let sum = 0;
  for (const value of values) {
    if (!(value > (bound ?? 5))) continue;
    sum += value;
  }
  return sum;
}
export const level: Level = 0;
export const parts = (path: string, isLong: boolean): string[] => [
  basename(path),
  path.trim(),
  ...(isLong && path.startsWith('/') ? [path] : []),
];
export const least = (a: number, b: number): number => Math.min(a, -b);
`;

let root: string;
let compiler: Compiler;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'weir-mutants-'));
  writeFileSync(
    join(root, 'tsconfig.json'),
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] }, "files": ["a.ts", "node.d.ts"] }',
  );
  writeFileSync(join(root, 'a.ts'), source);
  writeFileSync(
    join(root, 'node.d.ts'),
    "declare module 'node:path' { export const basename: (path: string) => string; }",
  );
  compiler = openCompiler(root);
});
afterAll(() => {
  compiler.close();
  rmSync(root, { recursive: true });
});

const mutants = (seed: number) => [...randomMutants(compiler, ['a.ts'], randomFrom(seed))];
const drawn = (seed: number) =>
  mutants(seed).map(({ line, kind, before, after }) => `${line} ${kind}: ${before} → ${after}`);

describe('the mutants of a file', () => {
  it('are one of each kind of fault, at its place', () => {
    const all = drawn(1).join('\n');
    for (const each of [
      '7 comparison: if (!(value > (bound ?? 5))) continue; → if (!(value >= (bound ?? 5))) continue;',
      '7 condition: if (!(value > (bound ?? 5))) continue; → if ((value > (bound ?? 5))) continue;',
      '7 condition: if (!(value > (bound ?? 5))) continue; → if (true) continue;',
      '7 default: if (!(value > (bound ?? 5))) continue; → if (!(value > (5))) continue;',
      '7 number: if (!(value > (bound ?? 5))) continue; → if (!(value > (bound ?? 6))) continue;',
      '7 deleted statement: if (!(value > (bound ?? 5))) continue; → if (!(value > (bound ?? 5))) {}',
      '8 arithmetic: sum += value; → sum -= value;',
      '8 deleted statement: sum += value; → {}',
      '10 returned value: return sum; → return 0;',
      '14 deleted item: basename(path), path.trim(), → path.trim(),',
      '18 arithmetic: export const least = (a: number, b: number): number => Math.min(a, -b); → export const least = (a: number, b: number): number => Math.max(a, -b);',
      '18 arithmetic: export const least = (a: number, b: number): number => Math.min(a, -b); → export const least = (a: number, b: number): number => Math.min(a, b);',
    ])
      expect(all).toContain(each);
  });

  it('all compile, change the file, and are not drawn twice', () => {
    const texts = mutants(2).map((mutant) => mutated(source, mutant) ?? source);
    expect(texts).toHaveLength(25);
    for (const text of texts) {
      expect(text).not.toBe(source);
      expect(compiler.accepts('a.ts', text)).toBe(true);
    }
    expect(mutated('another text', mutants(2)[0]!)).toBeNull();
    expect(new Set(texts).size).toBe(texts.length);
    // The one number that may be 0 or 1 only becomes 1.
    expect(compiler.accepts('a.ts', source.replace('level: Level = 0', 'level: Level = 2'))).toBe(
      false,
    );
    expect(compiler.accepts('a.ts', source)).toBe(true);
  });

  it('are the same of the same seed', () => {
    expect(drawn(3)).toEqual(drawn(3));
    expect(drawn(3)).not.toEqual(drawn(4));
    expect(drawn(3).toSorted()).toEqual(drawn(4).toSorted());
  });
});
