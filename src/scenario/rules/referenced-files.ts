import { secretReferencesIn } from '../../model/plan/secret.ts';
import type { ClipSource } from '../../model/workload/clip.ts';
import { clipSourcesOf } from '../compile/compile-traffic.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioPlace } from '../text/scenario-problem.ts';
import { type Path, pathKey } from '../text/scenario-tree.ts';
import {
  fieldHolders,
  placedEntries,
  placedTargets,
  type ScenarioEntry,
  type WholeScenario,
} from './placed-stages.ts';

/**
 * What a file is used for: as a secret, as certificates to trust, or as a clip to upload. A path is written as in the
 * scenario.
 */
export type FileUse =
  | { readonly kind: 'secret' | 'certificates'; readonly file: string }
  | { readonly kind: 'clip'; readonly clip: ClipSource; readonly oversized: boolean };

export interface ReferencedFile {
  readonly use: FileUse;
  readonly place: ScenarioPlace;
}

/** A file that a scenario names, and the path of the field that names it. */
interface PlacedFileUse {
  readonly use: FileUse;
  readonly path: Path;
}

type PlacedFileUses = Iterable<PlacedFileUse>;

function* secretFileUses({ text, path }: ScenarioPart<unknown>): PlacedFileUses {
  for (const reference of secretReferencesIn(text ?? '')) {
    if (reference.kind === 'secret') yield { path, use: { kind: 'secret', file: reference.path } };
  }
}

function* clipUses(entry: ScenarioEntry): PlacedFileUses {
  const part = entry.at('clips');
  // The schema reports a faulty clip, so a faulty clip is skipped here.
  if (entry.at('kind').text !== 'transcription' || part.validValue === undefined) return;
  const oversized = entry.at('oversized').written === true;
  for (const [index, clip] of clipSourcesOf(part.validValue).entries()) {
    const path = part.isList ? [...part.path, index] : part.path;
    yield { path, use: { kind: 'clip', clip, oversized } };
  }
}

const uniqueParts = <T>(parts: readonly ScenarioPart<T>[]): readonly ScenarioPart<T>[] => [
  ...new Map(parts.map((part) => [pathKey(part.path), part])).values(),
];

/**
 * Finds every file that a scenario names, even if the scenario is not valid. The files with keys and certificates are
 * included only if `withKeys` is true.
 */
export function* referencedFileUses(scenario: WholeScenario, withKeys: boolean): PlacedFileUses {
  const targets = placedTargets(scenario);
  // The scenario itself can be among both the holders and the targets, so duplicate parts are removed.
  const holders = [...fieldHolders(scenario), ...targets.map(({ own }) => own)];
  const keyParts = uniqueParts(holders.map((holder) => holder.at('keys'))).flatMap(
    (keys): readonly ScenarioPart<unknown>[] =>
      keys.isList ? keys.items.map((key) => key.at('key')) : [keys],
  );
  if (withKeys) for (const key of keyParts) yield* secretFileUses(key);
  for (const headers of uniqueParts(targets.map((target) => target.headers)))
    for (const name of headers.names) yield* secretFileUses(headers.at(name));
  for (const wire of uniqueParts(targets.map((target) => target.wire))) {
    for (const name of ['caFile', 'clientCert', 'clientKey'] as const) {
      const { text, path } = wire.at(name);
      const file = text ?? '';
      if (withKeys && file !== '') yield { path, use: { kind: 'certificates', file } };
    }
  }
  for (const entry of placedEntries(scenario)) yield* clipUses(entry);
}
