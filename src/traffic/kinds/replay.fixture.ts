import type { Answer, Outcome } from '../../model/observation/outcome.ts';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import type { Clip } from '../../model/workload/clip.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { placeStep } from '../../model/tries.fixture.ts';
import type { Traffic, TrafficKind } from '../../model/workload/traffic.ts';
import { type AnswerReader, emptyTargetMemory, type ReadingContext } from '../traffic-handler.ts';
import { prepareRequest } from './prepare-request.ts';
import { sampleEntry, prepareContextWith } from '../sample-traffic.fixture.ts';

/** This file plays responses to readers, for tests: bytes, the reads in which they come, and a simulated clock. */

/** The instant at which the request of every replay began. */
const begun = instant(1000);
/** The instant of the head, 50 ms after the request. */
export const headAt = instant(1050);
/** The time between two reads of a replay, in ms. */
const readSpacing = 10;

export const readAt = (read: number): Instant => instant(headAt + readSpacing * (read + 1));

export interface ReplayedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The failure at the end of the body; `null` if it ends properly. */
  readonly failure?: { readonly cause: BrokenCause; readonly detail: string } | null;
}

export const contextWith = (parts: Partial<ReadingContext> = {}): ReadingContext => ({
  begun,
  caps: { bytes: 1_000_000, events: 10_000 },
  streams: 'lenient',
  fails: [],
  targetMemory: emptyTargetMemory(),
  redact: (text) => text,
  redactId: (text) => text,
  ...parts,
});

/** The traffic whose answer is read: a sample of a kind, or a given entry, with the clip that it uploads. */
type ReplayedTraffic = TrafficKind | (Traffic & { readonly clip?: Clip });

export const readerFor = (
  requestedTraffic: ReplayedTraffic,
  context: ReadingContext = contextWith(),
): AnswerReader => {
  const traffic: Traffic & { readonly clip?: Clip } =
    typeof requestedTraffic === 'string' ? sampleEntry(requestedTraffic) : requestedTraffic;
  const { clip } = traffic;
  const tools = prepareContextWith({
    targetMemory: context.targetMemory,
    ...(clip === undefined ? {} : { clip }),
  });
  return prepareRequest(traffic, tools).read(context);
};

/** Shows a reader the response in the given reads. Each buffer is wiped after its call, as a socket's is. */
export const replay = (
  requestedTraffic: ReplayedTraffic,
  reads: readonly Buffer[],
  {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
    failure = null,
  }: ReplayedResponse = {},
  context: ReadingContext = contextWith(),
): Outcome => {
  const reader = readerFor(requestedTraffic, context);
  reader.onHeaders(headAt, status, headers);
  for (const [index, read] of reads.entries()) {
    const bytes = Buffer.from(read);
    reader.onChunk(readAt(index), bytes);
    bytes.fill('"');
  }
  const end = readAt(reads.length);
  return failure === null ? reader.ended(end) : reader.failed(end, failure.cause, failure.detail);
};

/**
 * Generates the reads of some bytes: one read, two reads cut at every byte boundary (or at one in `step`), and one byte
 * at a time. `npm test` makes one cut in 37.
 */
export function* everySplit(body: Buffer, step = 1): Generator<readonly Buffer[]> {
  yield [body];
  const between = step * placeStep;
  for (let at = body.length % between; at <= body.length; at += between)
    yield [body.subarray(0, at), body.subarray(at)];
  yield [...body].map((byte) => Buffer.of(byte));
}

const answerWithoutTimes = (answer: Answer): object => {
  if (answer.kind === 'speech') return { ...answer, firstByte: 'some', firstAudio: 'some' };
  if (answer.kind !== 'chat-stream') return { ...answer, firstByte: 'some' };
  const { coalesced: _, buffered: __, firstByte: ___, ...facts } = answer;
  const isPresent = (at: Instant | null): boolean => at !== null;
  return {
    ...facts,
    firstEvent: isPresent(answer.firstEvent),
    firstToken: isPresent(answer.firstToken),
    firstVisible: isPresent(answer.firstVisible),
    lastToken: isPresent(answer.lastToken),
    tokenInstants: answer.tokenInstants.length,
    commentInstants: answer.commentInstants.length,
  };
};

/** Removes from an outcome what an earlier answer showed of its prompt. */
export const withoutBefore = (outcome: Outcome): Outcome => {
  const copy = structuredClone(outcome);
  const answer = copy.kind === 'completed' ? copy.answer : 'partial' in copy ? copy.partial : null;
  if (answer !== null && 'tokens' in answer) delete answer.tokens.before;
  return copy;
};

/** Removes from an outcome what depends on how the bytes were cut into reads. */
export const withoutTimes = (outcome: Outcome): object => {
  if (outcome.kind === 'completed')
    return { ...outcome, answer: answerWithoutTimes(outcome.answer) };
  if (outcome.kind !== 'malformed' && outcome.kind !== 'broken') return outcome;
  return {
    ...outcome,
    partial: outcome.partial === null ? null : answerWithoutTimes(outcome.partial),
  };
};
