import http from 'node:http';
import { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { readLimitHeaders } from '../../contract/limit-headers.ts';
import { outcomeSchema } from '../../model/observation/outcome.ts';
import { drawFrom, type Draw } from '../../model/workload/draw.ts';
import type { SpeechFormat, Traffic } from '../../model/workload/traffic.ts';
import { type ClientReading, disagreement } from '../../platform/http/differential.fixture.ts';
import { ResponseParser } from '../../platform/socket/response-parser.ts';
import { contextWith, replay, withoutTimes } from '../../traffic/kinds/replay.fixture.ts';
import { readReportedLimits } from '../../traffic/limits/read-limit-headers.ts';
import { readRetryAfter } from '../../traffic/limits/retry-after.ts';
import { sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
import {
  audioBody,
  chance,
  damaged,
  documentBody,
  inReads,
  modelListBody,
  oddHeaders,
  streamBody,
} from './answer-grammar.fixture.ts';
import { httpAnswer } from './http-grammar.fixture.ts';

/**
 * Each check reads answer `index` and throws if a reader breaks a promise. It returns whether the reader accepted the
 * answer, so that a reader which refuses all of them is noticed.
 */
export type FuzzCheck = (draw: Draw, index: number) => Promise<boolean> | boolean;

export const parseHttp = (reads: readonly Buffer[]): ClientReading => {
  const parser = new ResponseParser();
  const bytes = reads.reduce((sum, { length }) => sum + length, 0);
  let status = 0;
  let body = '';
  let steps = 0;
  parser.expectResponse({
    onHead: (code) => {
      status = code;
    },
    onContent: (read, from, to) => {
      steps += 1;
      if (steps > bytes) throw new Error('more pieces of content than bytes');
      body += read.toString('latin1', from, to);
    },
  });
  for (const read of reads) {
    const copy = Buffer.from(read);
    const parsed = parser.read(copy);
    copy.fill('"');
    if (parsed === 'complete') return { status, headers: {}, body };
    if (parsed !== 'more') return { failure: parsed.cause };
  }
  const end = parser.closed();
  if (end === 'complete') return { status, headers: {}, body };
  return { failure: end === 'more' ? 'more after the end' : end.cause };
};

/** Node's own client on the same bytes, in memory. */
const parseByNode = (bytes: Buffer): Promise<ClientReading> =>
  new Promise((resolve) => {
    const connection = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
    const fail = (): void => resolve({ failure: 'Node’s parser' });
    const request = http.request({ createConnection: () => connection, maxHeaderSize: 16_384 });
    let hasResponse = false;
    // An error in bytes behind an answer comes before the answer's own end.
    request.on('error', () => undefined).on('upgrade', fail);
    request.on('close', () => {
      if (!hasResponse) fail();
    });
    request.on('response', (response) => {
      hasResponse = true;
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        if (response.complete) resolve({ status: response.statusCode ?? 0, headers: {}, body });
        else fail();
      });
    });
    request.end();
    connection.push(bytes);
    connection.push(null);
  });

/** Answers that only Node refuses, and why ours may complete them. */
const knownToDiffer: Readonly<Record<string, RegExp>> = {
  'framing fields among the trailers are ignored (RFC 9110, section 6.5.1)':
    /\r\n\r\n.*\r\n(?:content-length|transfer-encoding):/is,
  'a Transfer-Encoding without a coding is not chunked: the close ends it (RFC 9112, section 6.3)':
    /\r\ntransfer-encoding:[ \t]*\r\n/i,
};

const isKnown = (answer: Buffer): boolean =>
  Object.values(knownToDiffer).some((pattern) => pattern.test(answer.toString('latin1')));

/** Which of two faults of one section is named depends on the reads today. */
const isSameReading = (one: ClientReading, other: ClientReading): boolean => {
  const faults = ['too-large', 'protocol'];
  const areFaults = [one, other].every(
    (each) => 'failure' in each && faults.includes(each.failure),
  );
  return areFaults || isDeepStrictEqual(one, other);
};

const checkHttp: FuzzCheck = async (draw) => {
  const answer = httpAnswer(draw);
  const whole = parseHttp([answer]);
  const parts = parseHttp(inReads(draw, answer));
  if (!isSameReading(whole, parts))
    throw new Error(`whole ${JSON.stringify(whole)}, in reads ${JSON.stringify(parts)}`);
  if ('failure' in whole) return false;
  const node = await parseByNode(answer);
  const readings = { socket: whole, undici: node, node };
  const difference = disagreement(readings, { pieces: [answer], last: 'closes' });
  if (difference !== null && !isKnown(answer)) throw new Error(difference);
  return true;
};

const speechOf = (format: SpeechFormat): Traffic => ({ ...sampleTraffic.speech, format });

const contentTypes = ['application/json', 'text/event-stream', 'audio/mpeg', ''];

export const checkReader =
  (
    traffic: Traffic,
    makeBody: (draw: Draw) => Buffer,
    statuses: readonly number[],
    types = contentTypes,
  ): FuzzCheck =>
  (draw) => {
    const made = makeBody(draw);
    const body = chance(draw, 0.4) ? damaged(draw, made) : made;
    const headers = {
      'content-type': draw.pick(types),
      ...(chance(draw, 0.2) ? oddHeaders(draw) : {}),
    };
    const failure = chance(draw, 0.1) ? ({ cause: 'reset', detail: 'x' } as const) : null;
    const response = { status: draw.pick(statuses), headers, failure };
    const read = (reads: readonly Buffer[]) =>
      replay(traffic, reads, response, contextWith({ caps: { bytes: 20_000, events: 10 } }));
    const whole = read([body]);
    const parts = read(inReads(draw, body));
    if (!isDeepStrictEqual(withoutTimes(whole), withoutTimes(parts)))
      throw new Error(`${body.toString('latin1')}\n${JSON.stringify([whole, parts])}`);
    const written = JSON.stringify(whole, (_, value: unknown) =>
      value instanceof Float64Array ? [...value] : value,
    );
    const readable = outcomeSchema.safeParse(JSON.parse(written));
    if (!readable.success) throw new Error(`${written}\n${readable.error.message}`);
    return readable.data.kind === 'completed' || readable.data.kind === 'limited';
  };

const mustBeFinite = (values: readonly (number | null | undefined)[]): void => {
  const odd = values.find((value) => typeof value === 'number' && !Number.isFinite(value));
  if (odd !== undefined) throw new Error(`a limit of ${odd}`);
};

export const checkLimits: FuzzCheck = (draw) => {
  const headers = { ...oddHeaders(draw), ...oddHeaders(draw) };
  const now = Date.UTC(2026, 2, 1);
  const { reported } = readReportedLimits(headers, now);
  mustBeFinite(reported.flatMap(({ limit, remaining, resetIn }) => [limit, remaining, resetIn]));
  mustBeFinite(Object.values(readLimitHeaders(headers) ?? {}));
  mustBeFinite([readRetryAfter(headers, now)?.wait]);
  return reported.length > 0;
};

const ok = [200];
const refusals = [400, 404, 422, 429, 500, 503];

export interface FuzzTarget {
  readonly name: string;
  readonly check: FuzzCheck;
  /** Its share of all answers, in percent. */
  readonly share: number;
}

export const fuzzTargets: readonly FuzzTarget[] = [
  { name: 'HTTP/1.1 answers', check: checkHttp, share: 40 },
  { name: 'streams', check: checkReader(sampleTraffic['chat-stream'], streamBody, ok), share: 15 },
  { name: 'whole chats', check: checkReader(sampleTraffic.chat, documentBody, ok), share: 8 },
  {
    name: 'transcripts',
    check: checkReader(sampleTraffic.transcription, documentBody, ok),
    share: 4,
  },
  { name: 'model lists', check: checkReader(sampleTraffic.models, modelListBody, ok), share: 3 },
  ...(['mp3', 'wav', 'opus'] as const).map((format) => ({
    name: `speech as ${format}`,
    check: checkReader(speechOf(format), (draw) => audioBody(draw, format), ok),
    share: 6,
  })),
  { name: 'refusals', check: checkReader(sampleTraffic.chat, documentBody, refusals), share: 6 },
  { name: 'limit headers', check: checkLimits, share: 6 },
];

/** In ms: no answer of these takes longer to read, also on a busy machine. */
const maxAnswerTime = 5000;

/**
 * Checks a target's share of `answers`, and returns which part of them its reader accepted. An error names the number
 * that gives the same answer again.
 */
export const fuzz = async (
  target: FuzzTarget,
  answers: number,
  seed: number,
  targets = fuzzTargets,
): Promise<number> => {
  const count = Math.round((answers * target.share) / 100);
  const key = targets.indexOf(target);
  let accepted = 0;
  for (let index = 0; index < count; index += 1) {
    const begun = performance.now();
    try {
      if (await target.check(drawFrom(seed, key, index), index)) accepted += 1;
      const took = performance.now() - begun;
      if (took > maxAnswerTime) throw new Error(`took ${took} ms`);
    } catch (error) {
      throw new Error(`${target.name}: answer ${index} of seed ${seed}`, { cause: error });
    }
  }
  return accepted / count;
};
