import { relative, resolve, sep } from 'node:path';

const source = resolve(import.meta.dirname, '..', 'src');

/** A file's path below `src`, with forward slashes; null for a file elsewhere. */
export function placeOf(file: string): string | null {
  const path = relative(source, file).split(sep).join('/');
  return path.startsWith('..') ? null : path;
}
