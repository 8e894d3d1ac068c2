import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';

/** Rejects names that two files export. */
export const names: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === null) return {};
    return {
      Program: (node) => {
        for (const [name, others] of sharedExports(place)) {
          context.report({
            node,
            message: `\`${name}\` is exported by ${others.join(', ')} too. One name has one meaning in the whole of src: rename one of them, or import the other.`,
          });
        }
      },
    };
  },
};

const source = resolve(import.meta.dirname, '..', 'src');
const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

type Shared = readonly [name: string, others: readonly string[]];

let shared: ReadonlyMap<string, readonly Shared[]> | null = null;

/** The files that declare each exported name; a type and a value of the same name in one file count once. */
const readExporters = (): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, Set<string>>();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/(?<!\.test)\.ts$/.test(entry.name)) continue;
    const path = resolve(entry.parentPath, entry.name);
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(exported)) {
      found.set(name, (found.get(name) ?? new Set()).add(placeOf(path) ?? path));
    }
  }
  return new Map([...found].map(([name, places]) => [name, [...places].toSorted()]));
};

/** For each file, the names that others export too, with these others. */
const readShared = (): ReadonlyMap<string, readonly Shared[]> => {
  const found = new Map<string, Shared[]>();
  for (const [name, places] of readExporters()) {
    if (places.length === 1) continue;
    for (const place of places) {
      const others = places.filter((other) => other !== place);
      found.set(place, [...(found.get(place) ?? []), [name, others]]);
    }
  }
  return found;
};

/** The names that a file and others export, with the other files. */
const sharedExports = (place: string): readonly Shared[] => {
  shared ??= readShared();
  return shared.get(place) ?? [];
};
