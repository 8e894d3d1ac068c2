import type { TrafficOf } from './traffic.ts';

export interface Clip {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** `null` if its container does not tell. */
  readonly seconds: number | null;
  /** The spoken text; `null` if unknown. */
  readonly text: string | null;
}

/** Sources of one file with different texts have separate clips. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The clips of a plan, read before the load. */
export interface ClipLibrary {
  /** Returns the clips of a source (a file, a manifest, `bundled`) in a fixed order; at least one. */
  clipsOf(source: ClipSource): readonly Clip[];
}
