import type { Arrival } from './arrival.ts';
import type { Draw } from './draw.ts';
import type { PromptSource } from './prompt-source.ts';
import type { Trace, TraceSelection, TraceFacts, TraceLoad } from './trace.ts';
import type { TokenizerFacts } from './tokenizer.ts';
import type { Message } from './traffic.ts';

/** What one chat request says, and the most tokens that its source wants of the answer. */
export interface ChatContent {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  /** How many tokens the server should count in the messages; absent where they were not made so. */
  readonly tokens?: number;
}

/** The prompts and traces of a plan, everything read before the load. */
export interface Workload {
  /** What request (stage, index) asks; `draw` is its own. */
  chatContentFor(source: PromptSource, arrival: Arrival, draw: Draw): ChatContent;
  traceOf(load: TraceLoad): Trace;
}

/** What was found in a file, or what is wrong with it in a sentence that names file and line. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface DatasetFacts {
  readonly sha256: string;
  readonly prompts: number;
}

/** The files that a scenario names, looked into while it is read; each is read once. */
export interface WorkloadFiles {
  /** A text to be spoken. */
  text(file: string): ReadResult<string>;
  dataset(file: string): ReadResult<DatasetFacts>;
  tokenizer(name: string): ReadResult<TokenizerFacts>;
  trace(cut: TraceSelection): ReadResult<TraceFacts>;
}
