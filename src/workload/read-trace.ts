import type { Hash } from 'node:crypto';
import { BusiestMinute } from '../model/plan/busiest-minute.ts';
import { utf16Of } from '../model/text-encoding.ts';
import { milliseconds } from '../model/quantity.ts';
import {
  askOtherUnit,
  askUnit,
  isDoubtful,
  type Trace,
  type TraceSelection,
  type TraceFacts,
  unitNames,
} from '../model/workload/trace.ts';
import type { ReadResult } from '../model/workload/workload.ts';
import { FieldCounts } from './field-counts.ts';
import {
  type RecognisedTrace,
  recogniseTrace,
  recognisedLines,
  ticksPerSecond,
  type TraceRow,
  type TraceTime,
} from './trace-formats.ts';

function* decodedTexts(parts: Iterable<Uint8Array>, hash: Hash): Generator<string, void> {
  const decoder = new TextDecoder();
  let isFirst = true;
  for (const part of parts) {
    hash.update(part);
    if (isFirst && utf16Of(part) !== null) throw new OtherEncoding();
    isFirst = false;
    yield decoder.decode(part, { stream: true });
  }
  yield decoder.decode();
}

/**
 * The maximum length of a line of a trace, in characters. A line with a million tokens in blocks of 16 tokens has 0.5
 * million characters.
 */
const longestLine = 4 * 1024 ** 2;

class EndlessLine extends Error {}
class OtherEncoding extends Error {}

/** Splits texts into lines without their line ends (LF or CRLF). Throws an `EndlessLine` if a line is too long. */
function* linesOf(texts: Iterable<string>): Generator<string, void> {
  let rest = '';
  for (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    if (rest.length > longestLine) throw new EndlessLine();
  }
  if (rest !== '') yield rest;
}

export interface LoadedTrace {
  readonly facts: TraceFacts;
  readonly trace: Trace;
}

const ticksPerMillisecond = ticksPerSecond / 1000;

/** Collects the selected rows. Times are in ticks of 100 ns since the start of the selection. */
class SelectedRows {
  readonly ticks: number[] = [];
  readonly inputs: number[] = [];
  readonly outputs: number[] = [];
  readonly blocks: (readonly number[])[] = [];
  readonly clipped = { outside: 0, inputs: 0, outputs: 0, raised: 0 };
  readonly unread = new FieldCounts();
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

  /** Adds a row. Returns what is wrong with the row; `null` if nothing is wrong. */
  add({ at, input, output, blocks, unread }: TraceRow): string | null {
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
    this.unread.add(unread);
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
  blockTokens: number,
): Trace => {
  const order = Uint32Array.from(ticks.keys());
  if (!inOrder) order.sort((a, b) => ticks[a]! - ticks[b]! || a - b);
  const perMillisecond = ticksPerMillisecond * speed;
  return {
    count: ticks.length,
    blockTokens,
    dueAt: (index) => ticks[order[index]!]! / perMillisecond,
    inputTokens: (index) => inputs[order[index]!]!,
    outputTokens: (index) => outputs[order[index]!]!,
    blocksOf: (index) => blocks[order[index]!] ?? noBlocks,
  };
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

/** Returns the maximum number of requests, and the maximum number of tokens, within any `window` ms. */
const peakWithin = (trace: Trace, window: number): TraceFacts['busiestMinute'] => {
  const busiest = new BusiestMinute(window);
  for (let i = 0; i < trace.count; i += 1) {
    busiest.add(trace.dueAt(i), trace.inputTokens(i) + trace.outputTokens(i));
  }
  return busiest.peak();
};

/** With fewer requests, the gaps cannot show that the assumed unit is wrong. */
const provingRequests = 3;

/** A recording with a mean gap of at most this many ms is doubtful: 100 requests per second, from beginning to end. */
const doubtfulGap = 10;
/** A recording shorter than this many ms is doubtful, because nobody records only half a second of traffic. */
const shortestRecording = 500;
/**
 * A recording shorter than `shortestDenseRecording` ms is doubtful if its mean gap is at most `denseGap` ms. Example: a
 * recording of an hour seems to last 3.6 s if its times in seconds are read as ms.
 */
const [shortestDenseRecording, denseGap] = [5000, 50];
/**
 * A recording with a mean gap above this many ms is doubtful, because nobody replays so few as three requests per hour.
 */
const longestGap = 20 * 60_000;

/**
 * Returns a text that asks for the unit if the average gap is so short or so long that the assumed unit is probably
 * wrong; otherwise `null`. Times in seconds that are read as ms are too close together, and times in ms that are read
 * as seconds are too far apart.
 */
const unitQuestion = (
  { trace, facts }: LoadedTrace,
  { unit: given, speed }: TraceSelection,
): string | null => {
  const { unit, duration, format } = facts;
  if (given !== undefined || unit === undefined || trace.count < provingRequests) return null;
  const last = trace.dueAt(trace.count - 1) * speed;
  const gap = last / (trace.count - 1);
  // BurstGPT's format defines its times in seconds, so their unit is not in doubt.
  if (gap > longestGap && format !== 'burstgpt') {
    const minutes = Math.round(gap / 60_000).toLocaleString('en-US');
    return `its ${trace.count} requests would come ${minutes} minutes apart on average if its times were ${unitNames[unit]}; ${askOtherUnit}`;
  }
  const isShort = last < shortestRecording || (last < shortestDenseRecording && gap <= denseGap);
  const isFast = gap <= doubtfulGap || (isShort && facts.clipped.outside === 0);
  if (!isDoubtful(unit) || last === 0 || !isFast) return null;
  const span = Math.round(duration * speed);
  return `its ${trace.count} requests would all come within ${span} ms if its times were ${unitNames[unit]}; ${askUnit}`;
};

const knownFormats =
  'a Mooncake trace (JSON lines with "timestamp", "input_length", "output_length", as Qwen-Bailian’s and GuideLLM’s), an Azure LLM trace (CSV with TIMESTAMP, ContextTokens, GeneratedTokens) or a BurstGPT trace (CSV with Timestamp, Request tokens, Response tokens)';

type NumberedLine = readonly [number: number, line: string];

function* numberedLines(lines: Iterable<string>): Generator<NumberedLine, void> {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== '') yield [number, line];
  }
}

/**
 * Collects the selected rows. Returns the trace in its recognised format. If a line is wrong, returns a problem that
 * begins with the number of the line.
 */
const collectRows = (
  lines: Iterable<string>,
  rows: SelectedRows,
  unit: TraceSelection['unit'],
): RecognisedTrace | string => {
  const numbered = numberedLines(lines);
  const first: NumberedLine[] = [];
  // `for … of` would close the generator, but the code below still needs the generator.
  for (let next = numbered.next(); next.done !== true; next = numbered.next()) {
    first.push(next.value);
    if (first.length === recognisedLines) break;
  }
  const [number = 1] = first[0] ?? [];
  const known = recogniseTrace(
    first.map(([, line]) => line),
    unit,
  );
  if (known === null)
    return `${number}: expected ${knownFormats}${first.length === 0 ? '; the file is empty' : ''}`;
  for (const some of [first.slice(known.headerless ? 0 : 1), numbered]) {
    for (const [place, line] of some) {
      const row = known.read(line);
      const problem = typeof row === 'string' ? row : rows.add(row);
      if (problem !== null) return `${place}: ${problem}`;
    }
  }
  return known;
};

/** Returns the result of `read`. If the file is not a text with lines in UTF-8, returns the problem. */
const orNoText = <T>(read: () => T): T | string => {
  try {
    return read();
  } catch (error) {
    if (error instanceof OtherEncoding) return ' it is encoded in UTF-16: save it as UTF-8';
    if (!(error instanceof EndlessLine)) throw error;
    return ` expected ${knownFormats}; it has more than 4 MiB without the end of a line`;
  }
};

/** Reads the selected part of a trace, whose content shows its format. Reads the bytes once, without storing them. */
export const readTrace = (
  cut: TraceSelection,
  parts: Iterable<Uint8Array>,
  newSha256: () => Hash,
): ReadResult<LoadedTrace> => {
  const hash = newSha256();
  const rows = new SelectedRows(cut);
  const lines = linesOf(decodedTexts(parts, hash));
  const known = orNoText(() => collectRows(lines, rows, cut.unit));
  if (typeof known === 'string') return { ok: false, problem: `${cut.file}:${known}` };
  const trace = traceFrom(rows, cut.speed, known.blockTokens);
  const { clipped } = rows;
  if (trace.count === 0) {
    const problem = `${cut.file}: none of its ${clipped.outside} requests is between "from" and "until", which count from the first request`;
    return { ok: false, problem };
  }
  const facts: TraceFacts = {
    format: known.format,
    ...(known.unit === null ? {} : { unit: known.unit }),
    sha256: hash.digest('hex'),
    requests: trace.count,
    inputTokens: sumOf(rows.inputs),
    outputTokens: sumOf(rows.outputs),
    duration: milliseconds(Math.floor(trace.dueAt(trace.count - 1)) + 1),
    busiestSecond: peakWithin(trace, 1000).requests,
    busiestMinute: peakWithin(trace, 60_000),
    clipped,
    ...(Object.keys(rows.unread.counts).length === 0 ? {} : { unread: rows.unread.counts }),
  };
  const question = unitQuestion({ trace, facts }, cut);
  if (question !== null) return { ok: false, problem: `${cut.file}: ${question}` };
  return { ok: true, value: { facts, trace } };
};
