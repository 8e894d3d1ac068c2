import type { BrokenCause } from '../model/exchange.ts';
import type { Answer, Outcome } from '../model/observation.ts';
import type { Clip } from '../model/clip.ts';
import { type Instant, instant } from '../model/quantity.ts';
import type { Traffic, TrafficKind } from '../model/traffic.ts';
import { type AnswerReader, freshMemory, type ReadingContext } from './kind.ts';
import { prepare } from './kinds.ts';
import { sampleEntry, toolsWith } from './sample-traffic.ts';

/** Plays responses to readers, for tests: bytes, the reads they come in, and a clock that only counts. */

/** When the request of every replay began. */
const begun = instant(1000);
/** The head comes 50 ms later, and each read 10 ms after the one before it. */
export const headAt = instant(1050);
const readSpacing = 10;

export const readAt = (read: number): Instant => instant(headAt + readSpacing * (read + 1));

export interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null`: the body ends properly. */
  readonly failure?: { readonly cause: BrokenCause; readonly detail: string } | null;
}

export const contextWith = (parts: Partial<ReadingContext> = {}): ReadingContext => ({
  begun,
  caps: { bytes: 1_000_000, events: 10_000 },
  streams: 'lenient',
  memory: freshMemory(),
  redact: (text) => text,
  redactId: (text) => text,
  ...parts,
});

/** Whose answer is read: a sample of a kind, or an entry of its own, with the clip that it uploads. */
type Asked = TrafficKind | (Traffic & { readonly clip?: Clip });

export const readerFor = (asked: Asked, context: ReadingContext = contextWith()): AnswerReader => {
  const { clip, ...traffic }: Traffic & { readonly clip?: Clip } =
    typeof asked === 'string' ? sampleEntry(asked) : asked;
  const tools = toolsWith({ memory: context.memory, ...(clip === undefined ? {} : { clip }) });
  return prepare(traffic, tools).read(context);
};

/** Shows a reader the response in the given reads; each buffer is wiped after its call, as a socket's is. */
export const replay = (
  asked: Asked,
  reads: readonly Buffer[],
  {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
    failure = null,
  }: Response = {},
  context: ReadingContext = contextWith(),
): Outcome => {
  const reader = readerFor(asked, context);
  reader.onHeaders(headAt, status, headers);
  for (const [index, read] of reads.entries()) {
    const bytes = Buffer.from(read);
    reader.onChunk(readAt(index), bytes);
    bytes.fill('"');
  }
  const end = readAt(reads.length);
  return failure === null ? reader.ended(end) : reader.failed(end, failure.cause, failure.detail);
};

/** The bytes in one read, in two reads cut at every byte boundary, and one byte at a time. */
export function* everyCut(body: Buffer): Generator<readonly Buffer[]> {
  yield [body];
  for (let at = 0; at <= body.length; at += 1) yield [body.subarray(0, at), body.subarray(at)];
  yield [...body].map((byte) => Buffer.of(byte));
}

const timelessAnswer = (answer: Answer): object => {
  if (answer.kind === 'speech') return { ...answer, firstByte: 'some', firstAudio: 'some' };
  if (answer.kind !== 'chat-stream') return { ...answer, firstByte: 'some' };
  const { coalesced: _, buffered: __, firstByte: ___, ...facts } = answer;
  const came = (at: Instant | null): boolean => at !== null;
  return {
    ...facts,
    firstEvent: came(answer.firstEvent),
    firstToken: came(answer.firstToken),
    firstVisible: came(answer.firstVisible),
    lastToken: came(answer.lastToken),
    tokenInstants: answer.tokenInstants.length,
    commentInstants: answer.commentInstants.length,
  };
};

/** An outcome without what depends on how the bytes were cut into reads. */
export const timeless = (outcome: Outcome): object => {
  if (outcome.kind === 'completed') return { ...outcome, answer: timelessAnswer(outcome.answer) };
  if (outcome.kind !== 'malformed' && outcome.kind !== 'broken') return outcome;
  return { ...outcome, partial: outcome.partial === null ? null : timelessAnswer(outcome.partial) };
};
