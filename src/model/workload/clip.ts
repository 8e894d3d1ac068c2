import type { TrafficOf } from './traffic.ts';

export interface Clip {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The duration; `null` if neither its content nor its header gives it. */
  readonly seconds: number | null;
  /** The spoken text; `null` if unknown. */
  readonly text: string | null;
}

/** Sources of one file with different texts have separate clips. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The length of a recording by its content. */
export interface RecordedLength {
  readonly seconds: number;
  /** Whether it holds whatever the header declares. */
  readonly isFinal: boolean;
}

/** The clips of a plan, read before the load. */
export interface ClipLibrary {
  /** Returns the clips of a source (a file, a manifest, `bundled`) in a fixed order; at least one. */
  clipsOf(source: ClipSource): readonly Clip[];
}
