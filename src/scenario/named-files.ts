import type { ClipSource } from '../model/clip.ts';
import { references } from '../model/secret.ts';
import { clipsOf } from './compile-traffic.ts';
import type { Place } from './problem.ts';
import { clipsSchema } from './traffic-schema.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/** What a scenario wants of a file: a secret, certificates to trust, or a clip to upload. Paths are as they were written. */
export type FileUse =
  | { readonly kind: 'secret' | 'certificates'; readonly file: string }
  | { readonly kind: 'clip'; readonly clip: ClipSource; readonly oversized: boolean };

/** A file that a scenario names, and where it does. */
export interface NamedFile {
  readonly use: FileUse;
  readonly place: Place;
}

/** A use before its place is looked up. */
export interface PlacedUse {
  readonly use: FileUse;
  readonly path: Path;
}

const secretsIn = (template: unknown, path: Path): PlacedUse[] =>
  typeof template === 'string'
    ? references(template).flatMap((reference) =>
        reference.kind === 'secret'
          ? [{ path, use: { kind: 'secret' as const, file: reference.path } }]
          : [],
      )
    : [];

const keyUses = (keys: unknown): PlacedUse[] =>
  Array.isArray(keys)
    ? keys.flatMap((key: unknown, index) =>
        secretsIn(valueAt(key, ['key']), ['keys', index, 'key']),
      )
    : secretsIn(keys, ['keys']);

const headerUses = (headers: unknown): PlacedUse[] =>
  isMapping(headers)
    ? Object.entries(headers).flatMap(([name, value]) => secretsIn(value, ['headers', name]))
    : [];

const clipUses = (entry: unknown, path: Path): PlacedUse[] => {
  if (valueAt(entry, ['kind']) !== 'transcription') return [];
  const clips = clipsSchema.safeParse(valueAt(entry, ['clips']));
  // What is no clip at all is told by the schema.
  if (!clips.success) return [];
  const oversized = valueAt(entry, ['oversized']) === true;
  return clipsOf(clips.data).map((clip, index) => ({
    path: [...path, 'clips', ...(Array.isArray(clips.data) ? [index] : [])],
    use: { kind: 'clip', clip, oversized },
  }));
};

/** Every file that a scenario names, sound or not; `withKeys` where its target takes its keys. */
export const fileUses = (scenario: unknown, withKeys: boolean): readonly PlacedUse[] => {
  const certificates = valueAt(scenario, ['wire', 'caFile']);
  return [
    ...(withKeys ? keyUses(valueAt(scenario, ['keys'])) : []),
    ...headerUses(valueAt(scenario, ['headers'])),
    ...(withKeys && typeof certificates === 'string' && certificates !== ''
      ? [{ path: ['wire', 'caFile'], use: { kind: 'certificates' as const, file: certificates } }]
      : []),
    ...placedEntries(scenario).flatMap(({ entry, path }) => clipUses(entry, path)),
  ];
};
