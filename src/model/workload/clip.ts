import type { TrafficOf } from './traffic.ts';

/** A piece of recorded speech, ready to be uploaded. */
export interface Clip {
  /** The file's own name, with its extension. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** How long it plays, decoded from its container; `null` where the container does not tell. */
  readonly seconds: number | null;
  /** What is said in it, for the word error rate; `null` when unknown. */
  readonly text: string | null;
}

/** Where a plan's clips come from; of two that name one file with different texts each has clips of its own. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The clips that a plan's transcription entries name, read once before the load. */
export interface ClipLibrary {
  /** All clips behind one source of a plan (a file, a manifest, `bundled`), in a fixed order; one at least. */
  clipsOf(source: ClipSource): readonly Clip[];
}
