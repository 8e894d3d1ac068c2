import type { TrafficOf } from './traffic.ts';

export interface Clip {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The duration in seconds; `null` if neither the content nor the header of the file shows it. */
  readonly seconds: number | null;
  /** The spoken text; `null` if unknown. */
  readonly text: string | null;
}

/** The source of clips. Two sources of the same file with different texts have separate clips. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The length of a recording, computed from its content. */
export interface RecordedLength {
  readonly seconds: number;
  /** Whether this length is right even if the header declares another length. */
  readonly isFinal: boolean;
  /** Whether the file ends before its container does, as far as this recording shows. */
  readonly isCut?: boolean;
}

/** The clips of a plan, which are read before the load. */
export interface ClipLibrary {
  /** Returns the clips of a source (a file, a manifest, `bundled`) in a fixed order; there is at least one. */
  clipsOf(source: ClipSource): readonly Clip[];
}
