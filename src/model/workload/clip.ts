import type { TrafficOf } from './traffic.ts';

export interface Clip {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The duration in seconds; `null` if neither its content nor its header shows it. */
  readonly seconds: number | null;
  /** The spoken text; `null` if unknown. */
  readonly text: string | null;
}

/** The source of clips. Sources of the same file with different texts have separate clips. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The length of a recording according to its content. */
export interface RecordedLength {
  readonly seconds: number;
  /** Whether the length is valid whatever the header declares. */
  readonly isFinal: boolean;
}

/** The clips of a plan, read before the load. */
export interface ClipLibrary {
  /** Returns the clips of a source (a file, a manifest, `bundled`) in a fixed order; there is at least one. */
  clipsOf(source: ClipSource): readonly Clip[];
}
