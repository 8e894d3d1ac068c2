import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** The absolute path of a file of the repository. */
export const pathInRoot = (path: string): string => join(root, path);

const leftOut = new Set(['.git', 'node_modules']);

/** The paths of the repository's files that match one of some patterns, sorted; installed packages and Git's own files are left out. */
export const listFiles = (...patterns: readonly string[]): readonly string[] =>
  globSync(patterns, { cwd: root, exclude: (path) => leftOut.has(basename(path)) }).toSorted();

export const readText = (path: string): string => readFileSync(pathInRoot(path), 'utf8');

/**
 * All Markdown of the repository, by its path. Folders are listed, so a new page is tested without being named here; of
 * `reports` only the pages directly in it, since runs write into its sub-folders.
 */
export const documents: ReadonlyMap<string, string> = new Map(
  listFiles('*.md', '{scenarios,reports}/*.md', '{fixtures,src}/**/*.md', '.*/**/*.md').map(
    (path) => [path, readText(path)] as const,
  ),
);

/** Documents of what was and of what others have: options and files that they name need not exist here. */
const otherPaths = ['.github/CHANGELOG.md', 'src/proving/CHECKS.md'];

/** The paths of the documents that say how Weir is now. */
export const currentPaths: readonly string[] = [...documents.keys()].filter(
  (path) => !otherPaths.includes(path),
);

/** The documents in a folder: its README, and the pages beside it. */
export const pagesIn = (folder: string): readonly string[] =>
  [...documents.keys()].filter((path) => path.startsWith(`${folder}/`));

/** The text of a document; of a folder, that of all its pages. */
export const documentText = (path: string): string => {
  const text = documents.get(path) ?? pagesIn(path).map(readText).join('\n');
  return text === '' ? `there is no ${path}` : text;
};

/** A fenced block: its language, the word behind it, its text. */
export const fence = /^```(\w*)(?: (\w+))?\n(.*?)^```$/gms;

export interface FencedBlock {
  readonly path: string;
  readonly language: string;
  /** The word behind the language: `scenario` is a whole scenario, `part` some of its fields; `workflow` is GitHub's. */
  readonly mark: string;
  readonly text: string;
}

/** The fenced blocks of a document. */
export const blocksIn = (path: string): readonly FencedBlock[] =>
  [...documentText(path).matchAll(fence)].map(([, language = '', mark = '', text = '']) => ({
    path,
    language,
    mark,
    text,
  }));

/** The code spans of a document's prose. */
export const codeSpans = (text: string): readonly string[] =>
  [...text.replaceAll(fence, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
