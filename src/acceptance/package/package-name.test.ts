// @gate 1 s
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// The registry's package `weir` belongs to somebody else. A text of ours that installs it would run
// foreign code with the user's gateway key.

const root = resolve(import.meta.dirname, '..', '..', '..');
const places = ['README.md', 'src', 'scenarios', 'reports', '.github', '.package'];

/**
 * A package manager that fetches `weir` itself, as npx does wherever no project has it: not `weir-bench`, not the command
 * of an installed package.
 */
const foreignInstall =
  /\b(?:npx(?:\s+-[-\w=]*)*|(?:npm|pnpm|yarn|bun)\s+(?:i|in|install|add|x|exec|dlx)\b(?![^\n`]*--no\s)[^\n`]*?|bunx|pnpx)\s*['"]?weir(?![-\w])/;

const textFiles = async (place: string): Promise<readonly string[]> => {
  if (place.includes('.') && !place.startsWith('.')) return [place];
  const entries = await readdir(join(root, place), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(md|ya?ml|ts|js|sh|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => path !== 'src/acceptance/package/package-name.test.ts');
};

describe('the package', () => {
  it.each([
    'npx --yes weir run gate.yaml',
    'npx -y weir --help',
    'npx weir run scenarios/quickstart.yaml',
    'npx --no weir run gate.yaml',
    'npx --package weir weir plan',
    'npm install weir',
    'npm i -D weir@1',
    'npm exec --yes -- weir run',
    'pnpm dlx weir',
    'yarn add weir',
  ])('is confused with the foreign package by: %s', (text) => {
    expect(foreignInstall.test(text)).toBe(true);
  });

  it.each([
    'weir run scenarios/quickstart.yaml',
    'npm exec --no -- weir run',
    'npm run weir -- plan',
    'npm link',
    'npm install --no-save ./tools/weir-bench.tgz',
    'npm install weir-bench',
    'npx --yes weir-bench',
  ])('is referenced correctly by: %s', (text) => {
    expect(foreignInstall.test(text)).toBe(false);
  });

  it('is never installed under the other package’s name', async () => {
    const files = (await Promise.all(places.map(textFiles))).flat();
    expect(files.length).toBeGreaterThan(500);
    const found: string[] = [];
    for (const file of files) {
      const text = await readFile(join(root, file), 'utf8');
      const [match] = foreignInstall.exec(text) ?? [];
      if (match !== undefined) found.push(`${file}: ${match}`);
    }
    expect(found).toEqual([]);
  });
});
