import type { Arrival } from './arrival.ts';
import type { Draw } from './draw.ts';
import type { DroppedParts, PromptSource } from './prompt-source.ts';
import type { Trace, TraceSelection, TraceFacts, TraceLoad } from './trace.ts';
import type { TokenizerFacts } from './tokenizer.ts';
import type { Message } from './message.ts';

/** Fields that a row of a file gives to the request that sends it. */
export interface RequestFields {
  readonly body: Readonly<Record<string, unknown>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The messages of one chat request, and the maximum tokens of the answer by its source. */
export interface ChatContent {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  /** Of a synthetic prompt; absent for any other. */
  readonly tokens?: number;
  /** Fields of the body and headers of this request alone, which come before those of the scenario. */
  readonly own?: RequestFields;
}

/** The prompts and traces of a plan, read before the load. */
export interface Workload {
  /** `draw` belongs to the arrival. */
  chatContentFor(source: PromptSource, arrival: Arrival, draw: Draw): ChatContent;
  traceOf(load: TraceLoad): Trace;
}

/** The contents of a file, or a message that names file and line. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** An image or recording as requests have it. */
export interface MediaFile {
  readonly kind: 'image' | 'audio';
  /** For example `image/png`. */
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
  /** Text to speak. */
  text(file: string): ReadResult<string>;
  dataset(file: string): ReadResult<DatasetFacts>;
  tokenizer(name: string): ReadResult<TokenizerFacts>;
  trace(cut: TraceSelection): ReadResult<TraceFacts>;
}
