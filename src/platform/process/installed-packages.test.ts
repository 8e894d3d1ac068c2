import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installedPackages, manifestOf, packageRoot } from './installed-packages.ts';

const own = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

it('the packages of the program are its dependencies and theirs, each where Node finds it', () => {
  const packages = installedPackages();
  for (const name of Object.keys(own.dependencies))
    expect(packages.get(join('node_modules', name))).toMatch(new RegExp(`${name}$`));
  for (const [place, source] of packages) {
    expect(place.startsWith('node_modules')).toBe(true);
    const { dependencies = {} } = manifestOf(source);
    for (const needed of Object.keys(dependencies)) {
      const places = [...packages.keys()].filter((each) =>
        each.endsWith(join('node_modules', needed)),
      );
      expect(places.length, `${needed} of ${place}`).toBeGreaterThan(0);
    }
  }
  // What only tests need is not among them.
  for (const name of ['vitest', 'typescript', 'oxlint', 'testcontainers'])
    expect(packages.has(join('node_modules', name))).toBe(false);
});

it('an optional package comes with its own if it is asked for, and one that is missing is an error', () => {
  const plain = installedPackages();
  const more = installedPackages(['hyparquet-writer']);
  const added = [...more.keys()].filter((place) => !plain.has(place));
  expect(added).toContain(join('node_modules', 'hyparquet-writer'));
  expect(added.every((place) => existsSync(join(more.get(place)!, 'package.json')))).toBe(true);
  expect(() => installedPackages(['no-such-package'])).toThrow('no-such-package is not installed');
});
