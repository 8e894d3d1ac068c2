import { BusiestMinute } from '../model/plan/busiest-minute.ts';
import { milliseconds } from '../model/quantity.ts';
import {
  type Trace,
  type TraceSelection,
  type TraceFacts,
  type TraceFormat,
  traceFormats,
} from '../model/workload/trace.ts';
import type { ReadResult } from '../model/workload/workload.ts';
import { hashParts, textsOf } from './hash-parts.ts';
import {
  traceFormatReaders,
  type TraceTime,
  type RowReader,
  type TraceRow,
  ticksPerSecond,
} from './trace-formats.ts';

/** Splits parts of bytes into lines, without line ends (LF or CRLF) and byte order mark. */
function* linesOf(parts: Iterable<Uint8Array>): Generator<string, void> {
  let rest = '';
  for (const text of textsOf(parts)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

/** The selected part of a trace, and its facts. */
export interface LoadedTrace {
  readonly facts: TraceFacts;
  readonly trace: Trace;
}

const ticksPerMillisecond = ticksPerSecond / 1000;

/** Collects the rows of the selected part while they are read. Times are in ticks of 100 ns since its beginning. */
class SelectedRows {
  readonly ticks: number[] = [];
  readonly inputs: number[] = [];
  readonly outputs: number[] = [];
  readonly blocks: (readonly number[])[] = [];
  readonly clipped = { outside: 0, inputs: 0, outputs: 0, raised: 0 };
  inOrder = true;
  readonly #cut: TraceSelection;
  readonly #from: number;
  readonly #until: number;
  #origin: TraceTime | null = null;

  constructor(cut: TraceSelection) {
    this.#cut = cut;
    this.#from = Math.round(cut.from * ticksPerMillisecond);
    this.#until =
      cut.until === null ? Number.POSITIVE_INFINITY : Math.round(cut.until * ticksPerMillisecond);
  }

  /** Adds a row. Returns what is wrong with it, or `null`. */
  add({ at, input, output, blocks }: TraceRow): string | null {
    this.#origin ??= at;
    const since =
      (at.seconds - this.#origin.seconds) * ticksPerSecond + (at.ticks - this.#origin.ticks);
    if (since < 0) return 'expected a time not before the first request: sort the trace by time';
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

const traceFrom = (
  { ticks, inputs, outputs, blocks, inOrder }: SelectedRows,
  speed: number,
): Trace => {
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
  const minute = new BusiestMinute();
  for (let i = 0; i < trace.count; i += 1) {
    minute.add(trace.dueAt(i), trace.inputTokens(i) + trace.outputTokens(i));
  }
  return minute.peak();
};

const knownFormats =
  'a Mooncake trace (JSON lines with "timestamp", "input_length", "output_length"), an Azure LLM trace (CSV with TIMESTAMP, ContextTokens, GeneratedTokens) or a BurstGPT trace (CSV with Timestamp, Request tokens, Response tokens)';

/** Collects the selected rows. Returns the format, or a problem with its line. */
const collectRows = (
  lines: Iterable<string>,
  rows: SelectedRows,
): { readonly format: TraceFormat } | string => {
  let known: { readonly format: TraceFormat; readonly read: RowReader } | null = null;
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    if (known === null) {
      const readers = traceFormats.map((format) => traceFormatReaders[format].reader(line));
      const read = readers.find((reader) => reader !== null);
      if (read === undefined || read === null) return `${number}: expected ${knownFormats}`;
      known = { format: traceFormats[readers.indexOf(read)]!, read };
      if (!traceFormatReaders[known.format].headerless) continue;
    }
    const row = known.read(line);
    const rowProblem = typeof row === 'string' ? row : rows.add(row);
    if (rowProblem !== null) return `${number}: ${rowProblem}`;
  }
  return known ?? `1: expected ${knownFormats}; the file is empty`;
};

/**
 * Reads the selected part of a published trace, whose format its content shows. `parts` are the bytes of `cut.file`,
 * which are read once and not kept.
 */
export const readTrace = (
  cut: TraceSelection,
  parts: Iterable<Uint8Array>,
): ReadResult<LoadedTrace> => {
  const bytes = hashParts(parts);
  const rows = new SelectedRows(cut);
  const known = collectRows(linesOf(bytes.parts), rows);
  if (typeof known === 'string') return { ok: false, problem: `${cut.file}:${known}` };
  const trace = traceFrom(rows, cut.speed);
  const { clipped } = rows;
  if (trace.count === 0) {
    const problem = `${cut.file}: none of its ${clipped.outside} requests is between "from" and "until", which count from the first request`;
    return { ok: false, problem };
  }
  const facts: TraceFacts = {
    format: known.format,
    sha256: bytes.digest(),
    requests: trace.count,
    inputTokens: sumOf(rows.inputs),
    outputTokens: sumOf(rows.outputs),
    duration: milliseconds(Math.floor(trace.dueAt(trace.count - 1)) + 1),
    busiestMinute: busiestMinute(trace),
    clipped,
  };
  return { ok: true, value: { facts, trace } };
};
