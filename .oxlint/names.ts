import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ESTree, Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';
import { keptNames, retiredWords } from './retired-words.ts';

/** Rejects retired words in file names and identifiers, and names that two files export. */
export const names: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === null) return {};
    const seen = new Set<string>();
    const check = (node: ESTree.Node, name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      const word = retiredIn(name);
      if (word !== null) {
        context.report({ node, message: `\`${name}\`: ${retirement(word)}` });
      }
    };
    return {
      Program: (node) => {
        const word = retiredIn(place.split('/').at(-1) ?? '');
        if (word !== null) context.report({ node, message: `src/${place}: ${retirement(word)}` });
        for (const [name, others] of sharedExports(place)) {
          context.report({
            node,
            message: `\`${name}\` is exported by ${others.join(', ')} too. One name has one meaning in the whole of src: rename one of them, or import the other.`,
          });
        }
      },
      Identifier: (node) => check(node, node.name),
      PrivateIdentifier: (node) => check(node, node.name),
    };
  },
};

const wordsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());

/** The retired word in a name, `null` for none. */
function retiredIn(name: string): string | null {
  if (keptNames.has(name)) return null;
  const words = wordsOf(name);
  return (
    words.find((word, i) => {
      const isStandardTerm = ['in', 'round'].includes(words[i - 1] ?? '');
      return Object.hasOwn(retiredWords, word) && !isStandardTerm;
    }) ?? null
  );
}

const retirement = (word: string): string =>
  `"${word}" is retired; say ${retiredWords[word] ?? 'something plain'}. .oxlint/retired-words.ts has the list.`;

const source = resolve(import.meta.dirname, '..', 'src');
const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

let exporters: ReadonlyMap<string, readonly string[]> | null = null;

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

/** The names that a file and others export, with the other files. */
const sharedExports = (place: string): readonly (readonly [string, readonly string[]])[] => {
  exporters ??= readExporters();
  return [...exporters]
    .filter(([, places]) => places.length > 1 && places.includes(place))
    .map(([name, places]) => [name, places.filter((other) => other !== place)]);
};
