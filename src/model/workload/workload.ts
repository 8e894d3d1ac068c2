import type { Arrival } from './arrival.ts';
import type { Draw } from './draw.ts';
import type { DroppedParts, PromptSource } from './prompt-source.ts';
import type { Trace, TraceSelection, TraceFacts, TraceLoad } from './trace.ts';
import type { TokenizerFacts } from './tokenizer.ts';
import type { Message } from './message.ts';

/** Fields that a row of a file gives to the request that sends it. */
export interface RequestFields {
  readonly body: Readonly<Record<string, unknown>>;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The messages of one chat request, and the maximum number of answer tokens that their source asks for. */
export interface ChatContent {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  /** The number of tokens of a synthetic prompt; absent for any other. */
  readonly tokens?: number;
  /** The body fields and headers of this request alone, which come before the scenario's. */
  readonly own?: RequestFields;
}

/** The prompts and traces of a plan, read before the load. */
export interface Workload {
  /** Returns the content of a chat; `draw` belongs to the arrival. */
  chatContentFor(source: PromptSource, arrival: Arrival, draw: Draw): ChatContent;
  traceOf(load: TraceLoad): Trace;
}

/** The content of a file, or a message that names file and line. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** An image or recording in the form that requests contain. */
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

/** Reads the files that a scenario names, each once. */
export interface WorkloadFiles {
  /** Reads an image or recording by `bundled:NAME` or `file:PATH`. */
  media(reference: string): ReadResult<MediaFile>;
  /** Reads a text to speak. */
  text(file: string): ReadResult<string>;
  dataset(file: string): ReadResult<DatasetFacts>;
  tokenizer(name: string): ReadResult<TokenizerFacts>;
  trace(cut: TraceSelection): ReadResult<TraceFacts>;
}
