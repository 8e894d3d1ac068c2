import { FullestMinute } from '../model/fullest-minute.ts';
import { milliseconds } from '../model/quantity.ts';
import {
  type Trace,
  type TraceCut,
  type TraceFacts,
  type TraceFormat,
  traceFormats,
} from '../model/trace.ts';
import type { Found } from '../model/workload.ts';
import { hashed } from './digest.ts';
import { linesOf } from './lines.ts';
import {
  forms,
  type Moment,
  type RowReader,
  type TraceRow,
  ticksPerSecond,
} from './trace-formats.ts';

/** A cut of a trace, and what it needs. */
export interface ReadTrace {
  readonly facts: TraceFacts;
  readonly trace: Trace;
}

const ticksPerMillisecond = ticksPerSecond / 1000;

/** The rows of the cut while they are gathered; ticks of 100 ns since the cut's begin. */
class Gathered {
  readonly ticks: number[] = [];
  readonly inputs: number[] = [];
  readonly outputs: number[] = [];
  readonly blocks: (readonly number[])[] = [];
  readonly clipped = { outside: 0, inputs: 0, outputs: 0, raised: 0 };
  inOrder = true;
  readonly #cut: TraceCut;
  readonly #from: number;
  readonly #until: number;
  #origin: Moment | null = null;

  constructor(cut: TraceCut) {
    this.#cut = cut;
    this.#from = Math.round(cut.from * ticksPerMillisecond);
    this.#until =
      cut.until === null ? Number.POSITIVE_INFINITY : Math.round(cut.until * ticksPerMillisecond);
  }

  /** A text says what is wrong with the row. */
  add({ at, input, output, blocks }: TraceRow): string | null {
    this.#origin ??= at;
    const since =
      (at.seconds - this.#origin.seconds) * ticksPerSecond + (at.ticks - this.#origin.ticks);
    if (since < 0)
      return 'expected a moment not before the first request’s: sort the trace by time';
    if (since < this.#from || since >= this.#until) {
      this.clipped.outside += 1;
      return null;
    }
    const due = since - this.#from;
    this.inOrder &&= due >= (this.ticks.at(-1) ?? 0);
    this.ticks.push(due);
    this.inputs.push(this.#fit(input, this.#cut.maxInputTokens, 'inputs'));
    this.outputs.push(this.#fit(output, this.#cut.maxOutputTokens, 'outputs'));
    if (blocks.length > 0) this.blocks[this.ticks.length - 1] = blocks;
    return null;
  }

  #fit(tokens: number, most: number | null, which: 'inputs' | 'outputs'): number {
    if (tokens < 1) this.clipped.raised += 1;
    if (most !== null && tokens > most) this.clipped[which] += 1;
    return Math.max(1, Math.min(tokens, most ?? tokens));
  }
}

const noBlocks: readonly number[] = [];

const traceFrom = ({ ticks, inputs, outputs, blocks, inOrder }: Gathered, speed: number): Trace => {
  const order = Uint32Array.from(ticks.keys());
  if (!inOrder) order.sort((a, b) => ticks[a]! - ticks[b]! || a - b);
  const perMillisecond = ticksPerMillisecond * speed;
  return {
    count: ticks.length,
    dueAt: (index) => ticks[order[index]!]! / perMillisecond,
    inputTokens: (index) => inputs[order[index]!]!,
    outputTokens: (index) => outputs[order[index]!]!,
    blocksOf: (index) => blocks[order[index]!] ?? noBlocks,
  };
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const busiestMinute = (trace: Trace): TraceFacts['busiestMinute'] => {
  const minute = new FullestMinute();
  for (let i = 0; i < trace.count; i += 1) {
    minute.add(trace.dueAt(i), trace.inputTokens(i) + trace.outputTokens(i));
  }
  return minute.fullest();
};

const knownForms =
  'a Mooncake trace (JSON lines with "timestamp", "input_length", "output_length"), an Azure LLM trace (CSV with TIMESTAMP, ContextTokens, GeneratedTokens) or a BurstGPT trace (CSV with Timestamp, Request tokens, Response tokens)';

/** The form of a trace, and how its rows are read. */
interface Recognised {
  readonly format: TraceFormat;
  readonly read: RowReader;
}

const recognise = (line: string): Recognised | null => {
  for (const format of traceFormats) {
    const read = forms[format].reader(line);
    if (read !== null) return { format, read };
  }
  return null;
};

/** Gathers the cut; a text says what is wrong, with its line. */
const gather = (lines: Iterable<string>, gathered: Gathered): Recognised | string => {
  let known: Recognised | null = null;
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    if (known === null) {
      known = recognise(line);
      if (known === null) return `${number}: expected ${knownForms}`;
      if (!forms[known.format].headless) continue;
    }
    const row = known.read(line);
    const complaint = typeof row === 'string' ? row : gathered.add(row);
    if (complaint !== null) return `${number}: ${complaint}`;
  }
  return known ?? `1: expected ${knownForms}; the file is empty`;
};

/**
 * Reads a trace as it was published, known by its content, and cuts it; `parts` are the bytes of
 * `cut.file`, read once and not kept.
 */
export const readTrace = (cut: TraceCut, parts: Iterable<Uint8Array>): Found<ReadTrace> => {
  const bytes = hashed(parts);
  const gathered = new Gathered(cut);
  const known = gather(linesOf(bytes.parts), gathered);
  if (typeof known === 'string') return { ok: false, problem: `${cut.file}:${known}` };
  const trace = traceFrom(gathered, cut.speed);
  const { clipped } = gathered;
  if (trace.count === 0) {
    const problem = `${cut.file}: none of its ${clipped.outside} requests lies between "from" and "until"; these count from the first request`;
    return { ok: false, problem };
  }
  const facts: TraceFacts = {
    format: known.format,
    sha256: bytes.digest(),
    requests: trace.count,
    inputTokens: sumOf(gathered.inputs),
    outputTokens: sumOf(gathered.outputs),
    duration: milliseconds(Math.floor(trace.dueAt(trace.count - 1)) + 1),
    busiestMinute: busiestMinute(trace),
    clipped,
  };
  return { ok: true, value: { facts, trace } };
};
