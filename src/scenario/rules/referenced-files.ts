import { secretReferencesIn } from '../../model/plan/secret.ts';
import type { ClipSource } from '../../model/workload/clip.ts';
import { clipSourcesOf } from '../compile/compile-traffic.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioPlace } from '../text/scenario-problem.ts';
import type { Path } from '../text/scenario-tree.ts';
import { placedEntries, type ScenarioEntry, type WholeScenario } from './placed-stages.ts';

/** What a file is for: a secret, certificates to trust, or a clip to upload. Paths are as they were written. */
export type FileUse =
  | { readonly kind: 'secret' | 'certificates'; readonly file: string }
  | { readonly kind: 'clip'; readonly clip: ClipSource; readonly oversized: boolean };

/** A file that a scenario names, and where it does. */
export interface ReferencedFile {
  readonly use: FileUse;
  readonly place: ScenarioPlace;
}

/** A use before its place is looked up. */
interface PlacedFileUse {
  readonly use: FileUse;
  readonly path: Path;
}

const secretFileUses = ({ text, path }: ScenarioPart<unknown>): readonly PlacedFileUse[] =>
  secretReferencesIn(text ?? '').flatMap((reference) =>
    reference.kind === 'secret'
      ? [{ path, use: { kind: 'secret', file: reference.path } } as const]
      : [],
  );

const clipUses = (entry: ScenarioEntry): readonly PlacedFileUse[] => {
  const part = entry.at('clips');
  // A clip that is faulty itself is the schema's problem.
  if (entry.at('kind').text !== 'transcription' || part.sound === undefined) return [];
  const oversized = entry.at('oversized').written === true;
  return clipSourcesOf(part.sound).map((clip, index) => ({
    path: part.isList ? [...part.path, index] : part.path,
    use: { kind: 'clip', clip, oversized },
  }));
};

/** Every file that a scenario names, sound or not; `withKeys` where its target needs keys. */
export const referencedFileUses = (
  scenario: WholeScenario,
  withKeys: boolean,
): readonly PlacedFileUse[] => {
  const [keys, headers] = [scenario.at('keys'), scenario.at('headers')];
  const keyParts = keys.isList ? keys.items.map((key) => key.at('key')) : [keys];
  const { text: file, path } = scenario.at('wire').at('caFile');
  const certificates = { path, use: { kind: 'certificates', file: file ?? '' } } as const;
  return [
    ...(withKeys ? keyParts.flatMap(secretFileUses) : []),
    ...headers.names.flatMap((name) => secretFileUses(headers.at(name))),
    ...(withKeys && certificates.use.file !== '' ? [certificates] : []),
    ...placedEntries(scenario).flatMap(clipUses),
  ];
};
