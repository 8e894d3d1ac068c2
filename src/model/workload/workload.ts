import type { Arrival } from './arrival.ts';
import type { Draw } from './draw.ts';
import type { DroppedParts, PromptSource } from './prompt-source.ts';
import type { Trace, TraceSelection, TraceFacts, TraceLoad } from './trace.ts';
import type { TokenizerFacts } from './tokenizer.ts';
import type { Message } from './message.ts';

export interface RequestFields {
  readonly body: Readonly<Record<string, unknown>>;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The minimum length of a shared beginning, in characters. A shorter text (about 64 tokens) is too short for the caches
 * of most servers.
 */
export const leastSharedCharacters = 256;

/** The beginnings of a generated conversation that other conversations of the run may share. Lengths are in tokens. */
export interface SharedText {
  /**
   * The beginnings by name, from the shortest to the longest. Each beginning is the start of the next beginning. If two
   * conversations have a beginning of the same name, the shorter beginning is the start of the longer beginning.
   */
  readonly beginnings: readonly { readonly name: string; readonly tokens: number }[];
  /** Whether the last beginning is the whole conversation. */
  readonly isWhole: boolean;
  /** The number of tokens of the whole conversation. */
  readonly tokens: number;
}

/**
 * The messages of one chat request. `maxTokens` is the maximum number of answer tokens if the source of the messages
 * names a maximum.
 */
export interface ChatContent {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  /** The number of tokens of a synthetic prompt; absent for any other prompt. */
  readonly tokens?: number;
  /**
   * The beginnings that other prompts of the run share; absent if the prompt's first word already differs from that of
   * all other prompts.
   */
  readonly shared?: SharedText;
  /** The body fields and headers of this request alone. They override those of the scenario. */
  readonly own?: RequestFields;
}

/** The prompts and traces of a plan, which are read before the load. */
export interface Workload {
  /** Returns the content of a chat. `draw` is the random source of the arrival. */
  chatContentFor(source: PromptSource, arrival: Arrival, draw: Draw): ChatContent;
  traceOf(load: TraceLoad): Trace;
}

/** The content of a file. If the file cannot be read, `problem` is a message that names the file and the line. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface MediaFile {
  readonly kind: 'image' | 'audio';
  /** The content type, for example `image/png`. */
  readonly contentType: string;
  /** The name of the format in requests, for example `png` or `wav`. */
  readonly format: string;
  readonly base64: string;
}

export interface DatasetFacts {
  readonly sha256: string;
  readonly prompts: number;
  readonly dropped?: DroppedParts;
}

/** Reads the files that a scenario names. Each file is read once. */
export interface WorkloadFiles {
  /** Reads an image or a recording. The reference has the form `bundled:NAME` or `file:PATH`. */
  media(reference: string): ReadResult<MediaFile>;
  /** Reads the text of a file for speech. */
  text(file: string): ReadResult<string>;
  /** Reads the text of a file of prices. */
  prices(file: string): ReadResult<string>;
  /** Reads the findings that `weir limits --tokens` wrote to a file, or to a folder of findings. */
  findings(file: string): ReadResult<string>;
  dataset(file: string): ReadResult<DatasetFacts>;
  tokenizer(name: string): ReadResult<TokenizerFacts>;
  trace(cut: TraceSelection): ReadResult<TraceFacts>;
}
