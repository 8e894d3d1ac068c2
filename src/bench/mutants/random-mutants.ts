import { relative, resolve } from 'node:path';
import type { SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { type Change, changesOf } from './changes.ts';

/** Draws changes that compile, from files by their lines. */

/** A file with one change. */
export interface Mutant {
  readonly path: string;
  readonly room: string;
  readonly kind: Change['kind'];
  readonly line: number;
  /** The lines of the change, as they are and as they become. */
  readonly before: string;
  readonly after: string;
  readonly start: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The text of a file with the change of a mutant; null if the file is not the one that it was drawn from. */
export const mutated = (
  text: string,
  { start, removed, inserted }: Pick<Mutant, 'start' | 'removed' | 'inserted'>,
): string | null =>
  text.startsWith(removed, start)
    ? text.slice(0, start) + inserted + text.slice(start + removed.length)
    : null;

/** What the compiler says of code that is never reached or used is no fault that it would find. */
const unusedCodes: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027]);

export interface Compiler {
  readonly sourceOf: (path: string) => SourceFile;
  /** Whether a file of the project would compile with another text. */
  readonly accepts: (path: string, text: string) => boolean;
  readonly close: () => void;
}

/** Opens the project of a folder; nothing is written. */
export const openCompiler = (root: string): Compiler => {
  const changed = new Map<string, string>();
  const api = new API({ cwd: root, fs: { readFile: (path) => changed.get(path) } });
  const open = api.updateSnapshot({ openProjects: [resolve(root, 'tsconfig.json')] });
  const [project] = open.getProjects();
  return {
    sourceOf: (path) => {
      const source = project?.program.getSourceFile(resolve(root, path));
      if (source === undefined) throw new Error(`${path} is no file of the project`);
      return source;
    },
    accepts: (path, text) => {
      const file = resolve(root, path);
      changed.set(file, text);
      const snapshot = api.updateSnapshot({ fileChanges: { changed: [file] } });
      const program = snapshot.getProjects()[0]?.program;
      const found = [
        ...(program?.getSyntacticDiagnostics(file) ?? []),
        ...(program?.getSemanticDiagnostics(file) ?? []),
      ];
      changed.delete(file);
      api.updateSnapshot({ fileChanges: { changed: [file] } });
      snapshot.dispose();
      return found.every(({ code }) => unusedCodes.has(code));
    },
    close: () => api.close(),
  };
};

const linesAround = (text: string, start: number, end: number): string =>
  text
    .slice(text.lastIndexOf('\n', start - 1) + 1, (text.indexOf('\n', end) + 1 || text.length) - 1)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The mutant of a change, or null if no text of it compiles. */
const mutantOf = (compiler: Compiler, path: string, change: Change): Mutant | null => {
  const { text } = compiler.sourceOf(path);
  const { kind, start, end } = change;
  const changed = (inserted: string): string => text.slice(0, start) + inserted + text.slice(end);
  const inserted = change.texts.find((each) => compiler.accepts(path, changed(each)));
  if (inserted === undefined) return null;
  return {
    path,
    room: relative('src', path).split('/')[0] ?? '',
    kind,
    line: text.slice(0, start).split('\n').length,
    before: linesAround(text, start, end),
    after: linesAround(changed(inserted), start, start + inserted.length),
    start,
    removed: text.slice(start, end),
    inserted,
  };
};

/** Draws mutants, each another one, until none is found any more; a file comes as often as it has lines. */
export function* randomMutants(
  compiler: Compiler,
  paths: readonly string[],
  random: () => number,
): Generator<Mutant> {
  const pick = <T>(items: readonly T[]): T | undefined =>
    items[Math.floor(random() * items.length)];
  const lines = paths.flatMap((path) =>
    compiler
      .sourceOf(path)
      .text.split('\n')
      .map(() => path),
  );
  const changes = new Map<string, readonly Change[]>();
  const seen = new Set<string>();
  for (let misses = 0; misses < 1_000; misses += 1) {
    const path = pick(lines);
    if (path === undefined) return;
    const ofFile = changes.get(path) ?? changesOf(compiler.sourceOf(path));
    changes.set(path, ofFile);
    const change = pick(ofFile);
    const key = `${path} ${change?.kind} ${change?.start} ${change?.texts.join()}`;
    if (change === undefined || seen.has(key)) continue;
    seen.add(key);
    const mutant = mutantOf(compiler, path, change);
    if (mutant === null) continue;
    misses = 0;
    yield mutant;
  }
}
