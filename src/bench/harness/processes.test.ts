import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const source = new URL('../../', import.meta.url);

it('every file that a bench starts by its path exists', () => {
  const texts = globSync('bench/**/*.ts', { cwd: source }).map((file) =>
    readFileSync(new URL(file, source), 'utf8'),
  );
  const started = texts.flatMap((text) => text.match(/(?<=')(bench|cli)\/[\w/.-]+(?=')/g) ?? []);
  expect(started).toContain('bench/harness/chat-server.ts');
  expect(started).toContain('cli/weir.js');
  expect(new Set(started).size).toBeGreaterThanOrEqual(9);
  expect(started.filter((file) => !existsSync(new URL(file, source)))).toEqual([]);
});
