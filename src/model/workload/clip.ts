import type { TrafficOf } from './traffic.ts';

export interface Clip {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The duration in seconds; `null` if neither the content nor the header of the file shows the duration. */
  readonly seconds: number | null;
  /** The spoken text; `null` if unknown. */
  readonly text: string | null;
}

/** The source of clips. Two sources with the same file and different texts have separate clips. */
export type ClipSource = TrafficOf<'transcription'>['clips'][number];

/** The length of a recording, computed from its content. */
export interface RecordedLength {
  readonly seconds: number;
  /** Whether this length counts even if the header of the file declares another length. */
  readonly isFinal: boolean;
  /** Whether the recording is cut off: its container declares more bytes than the file has. */
  readonly isCut?: boolean;
}

/** The clips of a plan, which are read before the load. */
export interface ClipLibrary {
  /**
   * Returns the clips of a source (a file, a manifest or `bundled`) in a fixed order. A source has at least one clip.
   */
  clipsOf(source: ClipSource): readonly Clip[];
}
