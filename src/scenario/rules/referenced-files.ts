import type { ClipSource } from '../../model/workload/clip.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import { clipSourcesOf } from '../compile/compile-traffic.ts';
import type { ScenarioPlace } from '../text/scenario-problem.ts';
import { clipsSchema } from '../schema/traffic-schema.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path, valueAtPath } from '../text/scenario-tree.ts';

/** What a scenario wants of a file: a secret, certificates to trust, or a clip to upload. Paths are as they were written. */
export type FileUse =
  | { readonly kind: 'secret' | 'certificates'; readonly file: string }
  | { readonly kind: 'clip'; readonly clip: ClipSource; readonly oversized: boolean };

/** A file that a scenario names, and where it does. */
export interface ReferencedFile {
  readonly use: FileUse;
  readonly place: ScenarioPlace;
}

/** A use before its place is looked up. */
export interface PlacedFileUse {
  readonly use: FileUse;
  readonly path: Path;
}

const secretFileUses = (template: unknown, path: Path): PlacedFileUse[] =>
  typeof template === 'string'
    ? secretReferencesIn(template).flatMap((reference) =>
        reference.kind === 'secret'
          ? [{ path, use: { kind: 'secret' as const, file: reference.path } }]
          : [],
      )
    : [];

const keyUses = (keys: unknown): PlacedFileUse[] =>
  Array.isArray(keys)
    ? keys.flatMap((key: unknown, index) =>
        secretFileUses(valueAtPath(key, ['key']), ['keys', index, 'key']),
      )
    : secretFileUses(keys, ['keys']);

const headerUses = (headers: unknown): PlacedFileUse[] =>
  isMapping(headers)
    ? Object.entries(headers).flatMap(([name, value]) => secretFileUses(value, ['headers', name]))
    : [];

const clipUses = (entry: unknown, path: Path): PlacedFileUse[] => {
  if (valueAtPath(entry, ['kind']) !== 'transcription') return [];
  const clips = clipsSchema.safeParse(valueAtPath(entry, ['clips']));
  // What is no clip at all is told by the schema.
  if (!clips.success) return [];
  const oversized = valueAtPath(entry, ['oversized']) === true;
  return clipSourcesOf(clips.data).map((clip, index) => ({
    path: [...path, 'clips', ...(Array.isArray(clips.data) ? [index] : [])],
    use: { kind: 'clip', clip, oversized },
  }));
};

/** Every file that a scenario names, sound or not; `withKeys` where its target takes its keys. */
export const referencedFileUses = (
  scenario: unknown,
  withKeys: boolean,
): readonly PlacedFileUse[] => {
  const certificates = valueAtPath(scenario, ['wire', 'caFile']);
  return [
    ...(withKeys ? keyUses(valueAtPath(scenario, ['keys'])) : []),
    ...headerUses(valueAtPath(scenario, ['headers'])),
    ...(withKeys && typeof certificates === 'string' && certificates !== ''
      ? [{ path: ['wire', 'caFile'], use: { kind: 'certificates' as const, file: certificates } }]
      : []),
    ...placedEntries(scenario).flatMap(({ entry, path }) => clipUses(entry, path)),
  ];
};
