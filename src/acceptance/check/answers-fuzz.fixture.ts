import { routes } from '../../contract/routes.ts';
import { redactor } from '../../model/plan/secret.ts';
import { checkProfiles } from '../../verbs/check/model/check-choices.ts';
import { type CheckReport, checkReportSchema } from '../../verbs/check/model/check-report.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { instant } from '../../model/quantity.ts';
import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { checkTable } from '../../verbs/check/suite/check-table.ts';
import { answersFrom, judgeChecks, unseenRows } from '../../verbs/check/suite/judge-checks.ts';
import type { CheckAnswer, ReceivedAnswer } from '../../verbs/check/reading/check-answer.ts';
import type { CheckRequest } from '../../verbs/check/reading/check-case.ts';
import { sendCheckRequest } from '../../verbs/check/suite/send-check-request.ts';
import { checkDocument } from '../../verbs/check/report/check-document.ts';
import { checkJunit } from '../../verbs/check/report/check-junit.ts';
import { htmlPage } from '../../report/document/html-page.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import {
  audioBody,
  below,
  chance,
  damaged,
  documentBody,
  inReads,
  oddHeaders,
  streamBody,
} from '../hostile/answer-grammar.fixture.ts';
import { checkAnswerTo, type RecordedAnswers, recordingKey } from './recorded-answers.fixture.ts';

/** Random and changed answers, through the reader of the suite, all checks and all reports. */

/** How many answers of one suite are changed. */
export const changedPerSuite = 10;

/** What must never reach a report as it is. */
const planted = `<img src=x onerror=alert(1)>\u001b[31m\u0007\u202e ${recordingKey}`;

const plantedBodies = (draw: Draw): Buffer =>
  Buffer.from(
    draw.pick([
      JSON.stringify({ error: { message: planted, type: planted, code: planted } }),
      JSON.stringify({ detail: planted }),
      JSON.stringify({
        object: planted,
        data: [{ id: planted, object: planted, created: planted }],
      }),
      `<html><title>${planted}</title>`,
      `data: ${JSON.stringify({ id: planted, choices: [{ delta: { content: planted } }] })}\n\n`,
      planted.repeat(1 + below(draw, 2000)),
    ]),
  );

const deepOrWide = (draw: Draw): Buffer =>
  Buffer.from(
    draw.pick<() => string>([
      () => '['.repeat(below(draw, 20_000)),
      () => '{"a":'.repeat(below(draw, 20_000)),
      () => `{"data":[${'{},'.repeat(below(draw, 30_000))}{}]}`,
      () => `{"segments":[${'{"start":1,"end":0,"text":"a"},'.repeat(below(draw, 3000))}{}]}`,
      () => 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'.repeat(below(draw, 8000)),
      () => '1\n00:00:01,000 --> 00:00:00,000\na\n\n'.repeat(below(draw, 3000)),
      () => `WEBVTT\n\n${'00:01.000 --> 00:00.000\na b c\n\n'.repeat(below(draw, 3000))}`,
      () => JSON.stringify({ text: 'word '.repeat(below(draw, 20_000)) }),
    ])(),
  );

const odd: readonly unknown[] = [null, true, 0, -1, 1.5, 1e308, '', 'a', [], {}, [[]], planted];

/** A JSON document with one value at any place replaced or left out. */
const oneValueChanged = (draw: Draw, body: Buffer): Buffer => {
  try {
    const whole: unknown = JSON.parse(body.toString());
    let at = below(draw, JSON.stringify(whole).split(/[:,]/).length);
    const isLeftOut = chance(draw, 0.3);
    const value = draw.pick(odd);
    const text = JSON.stringify(whole, (_, kept: unknown) => {
      at -= 1;
      if (at !== -1) return kept;
      return isLeftOut ? undefined : value;
    });
    return Buffer.from(text ?? '');
  } catch {
    return damaged(draw, body);
  }
};

const changedBody = (draw: Draw, body: Buffer, others: readonly ReceivedAnswer[]): Buffer =>
  draw.pick<() => Buffer>([
    () => damaged(draw, body.subarray(0, 100_000)),
    () => damaged(draw, body.subarray(0, 100_000)),
    () => oneValueChanged(draw, body),
    () => oneValueChanged(draw, body),
    () => oneValueChanged(draw, body),
    () => body.subarray(0, below(draw, body.length + 1)),
    () => draw.pick(others).body,
    () => streamBody(draw),
    () => documentBody(draw),
    () => audioBody(draw, draw.pick(['mp3', 'wav', 'opus'] as const)),
    () => plantedBodies(draw),
    () => deepOrWide(draw),
    () => Buffer.from(Array.from({ length: below(draw, 300) }, () => below(draw, 256))),
  ])();

const statuses = [100, 200, 200, 200, 204, 301, 400, 401, 402, 404, 413, 422, 429, 500, 503, 599];

interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reads: readonly Buffer[];
  readonly failure: boolean;
}

const changedAnswer = (
  draw: Draw,
  { status, headers, body }: ReceivedAnswer,
  others: readonly ReceivedAnswer[],
): WireAnswer => ({
  status: chance(draw, 0.6) ? (status ?? 200) : draw.pick(statuses),
  headers: {
    ...(chance(draw, 0.9) ? headers : {}),
    ...(chance(draw, 0.2) ? oddHeaders(draw) : {}),
    ...(chance(draw, 0.05) ? { location: planted } : {}),
  },
  reads: inReads(draw, chance(draw, 0.85) ? changedBody(draw, body, others) : body),
  failure: chance(draw, 0.07),
});

/** A transport that delivers one answer, each read in a separate turn of the event loop, as from a socket. */
const transportOf = ({ status, headers, reads, failure }: WireAnswer): Transport => ({
  send: (_, observer) => {
    let isOver = false;
    const at = instant(0);
    const deliver = (): void => {
      observer.onSent(at);
      observer.onHeaders(at, status, headers);
      for (const read of reads) if (!isOver) observer.onChunk(at, read);
      if (isOver) return;
      isOver = true;
      if (failure) observer.onFailure(at, 'reset', planted);
      else observer.onEnd(at);
    };
    queueMicrotask(deliver);
    return {
      abort: (cause, detail) => {
        if (isOver) return;
        isOver = true;
        observer.onFailure(at, cause, detail);
      },
    };
  },
  connectAhead: () => undefined,
  notes: () => [],
  close: async () => undefined,
});

const noAlarm = { set: () => undefined, stop: () => undefined };
const stillClock = {
  now: () => instant(0),
  read: () => instant(0),
  every: () => () => undefined,
  alarm: () => noAlarm,
};
const deadlines = { total: 1000, idle: 1000, afterEnd: 1000 };
const redact = redactor([recordingKey]);

const reportOf = (rows: CheckReport['rows'], profile: CheckReport['profile']): CheckReport => ({
  format: 'check/1',
  weir: '0.0.0',
  target: 'http://127.0.0.1/v1',
  startedAt: '2026-03-01T12:00:00.000Z',
  took: 1,
  profile,
  models: { chat: null, speech: null, transcription: null, voice: null },
  spent: {
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
    characters: 0,
    audioSeconds: 0,
    waits: 0,
  },
  stopped: null,
  rows: [...rows],
  unseen: unseenRows(),
});

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const checkReports = (report: CheckReport): void => {
  const read = checkReportSchema.parse(JSON.parse(JSON.stringify(report)));
  const document = checkDocument(read);
  const texts = {
    terminal: terminalText(document, { colour: false, width: 100 }),
    html: htmlPage(document, ''),
    markdown: markdownText(document),
    junit: checkJunit(read, false),
    json: JSON.stringify(read),
  };
  for (const [name, text] of Object.entries(texts)) {
    if (text.includes(recordingKey)) throw new Error(`the key is in the ${name}`);
    if (name !== 'json' && controls.test(text))
      throw new Error(
        `a control character is in the ${name}: ${JSON.stringify(controls.exec(text))}`,
      );
    if (['html', 'junit'].includes(name) && text.includes('<img'))
      throw new Error(`an element of an answer is in the ${name}`);
  }
};

/** The answers of the reference gateway, as checks read them: what is not changed need not be read again. */
const readAll = ({
  requests,
  received,
  target,
}: RecordedAnswers): ReadonlyMap<string, CheckAnswer> =>
  new Map(
    requests.map((request) => [
      request.id,
      checkAnswerTo(request, received.get(request.id)!, target, redact),
    ]),
  );

const withChanges = async (
  draw: Draw,
  recorded: RecordedAnswers,
  usual: ReadonlyMap<string, CheckAnswer>,
) => {
  const { requests, received, target } = recorded;
  const others = [...received.values()];
  const answers = new Map(usual);
  const changed: CheckAnswer[] = [];
  for (let left = changedPerSuite; left > 0; left -= 1) {
    const request: CheckRequest = draw.pick(requests);
    const transport = transportOf(changedAnswer(draw, received.get(request.id)!, others));
    const wire = request.build(target)!;
    const port = { transport, clock: stillClock };
    const { isStream } = request;
    const kind = { isStream, isAudio: wire.path === routes.speech.path };
    const answer = await sendCheckRequest(port, wire, deadlines, kind);
    const read = checkAnswerTo(request, answer, target, redact);
    answers.set(request.id, read);
    changed.push(read);
  }
  return { answers, changed };
};

/** One suite with some answers changed: it is judged, reported in every form, and nothing of an answer breaks a report. */
const fuzzSuite = async (
  seed: number,
  index: number,
  recorded: RecordedAnswers,
  usual: ReadonlyMap<string, CheckAnswer>,
): Promise<void> => {
  const draw = drawFrom(seed, index);
  const { answers, changed } = await withChanges(draw, recorded, usual);
  const limited = changed.filter(({ status }) => status === 429);
  const repeated = changed.filter(({ status }) => status === 503);
  const all = answersFrom(recorded.target, { answers, limited, repeated });
  const profile = draw.pick(checkProfiles);
  const rows = judgeChecks(checkTable, checkTable, all, profile);
  if (rows.length !== checkTable.length) throw new Error('a check has no row');
  checkReports(reportOf([...rows], profile));
};

/** Runs so many suites, the slowest for `slowest` ms of CPU time; an error names the one that gives the same answers again. */
export const fuzzSuites = async (
  seed: number,
  suites: number,
  recorded: RecordedAnswers,
): Promise<{ readonly slowest: number }> => {
  const usual = readAll(recorded);
  let slowest = 0;
  for (let index = 0; index < suites; index += 1) {
    const begun = process.cpuUsage();
    try {
      await fuzzSuite(seed, index, recorded, usual);
    } catch (error) {
      throw new Error(`suite ${index} of seed ${seed}`, { cause: error });
    }
    slowest = Math.max(slowest, process.cpuUsage(begun).user / 1000);
  }
  return { slowest };
};
