import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRequestTraceLog } from './request-trace.ts';

/** A log of the last lines, an exchange of it and a clock that a test sets. */
const logOf = (truth: { readonly file: string | null; readonly keep: number }) => {
  const log = openRequestTraceLog({ truth } as never)!;
  const time = { now: 0 };
  const begin = (id: string) => {
    const request = Object.assign(new EventEmitter(), { socket: { bytesWritten: 100 } });
    const response = Object.assign(new EventEmitter(), { headersSent: false, statusCode: 200 });
    const exchange = { id, keyIndex: 1, end: 'completed', fault: null, request, response };
    const trace = log.startTrace(exchange as never, { now: () => time.now } as never);
    return { trace, request, response };
  };
  return { log, time, begin };
};

describe('the trace of a request', () => {
  it('has each instant: when it was read, and when each token was due, sent and written', () => {
    const { log, time, begin } = logOf({ file: null, keep: 10 });
    time.now = 5;
    const { trace, request, response } = begin('a');
    time.now = 6;
    request.emit('end');
    trace.setFields({ kind: 'chat', admitted: true, micros: 7 });
    trace.setFields({ queued: 6.5 });
    time.now = 20;
    trace.recordToken(19);
    time.now = 21;
    trace.recordToken(20);
    time.now = 22;
    trace.recordWrite();
    time.now = 31;
    trace.recordToken(30);
    time.now = 32;
    trace.recordWrite();
    request.socket.bytesWritten = 450;
    response.headersSent = true;
    time.now = 40;
    response.emit('close');
    response.emit('close');
    expect(log.recent()).toEqual({
      dropped: 0,
      problem: null,
      lines: [
        {
          requestId: 'a',
          key: 1,
          accepted: 5,
          kind: 'chat',
          admitted: true,
          limits: null,
          charges: [],
          queued: 6.5,
          prefillEnd: null,
          micros: 7,
          read: 6,
          due: [19, 20, 30],
          sent: [20, 21, 31],
          written: [22, 22, 32],
          bytes: 350,
          ended: 40,
          end: 'completed',
          fault: null,
          status: 200,
        },
      ],
    });
  });

  it('has no status and no reading if neither was', () => {
    const { log, begin } = logOf({ file: null, keep: 10 });
    begin('a').response.emit('close');
    expect(log.recent().lines).toMatchObject([{ status: null, read: null, due: [], kind: null }]);
  });
});

describe('a log of traces', () => {
  it('keeps the last lines, and writes all of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-trace-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'truth.jsonl');
    const { log, begin } = logOf({ file, keep: 2 });
    for (const id of ['a', 'b', 'c']) begin(id).response.emit('close');
    expect(log.recent()).toMatchObject({
      dropped: 1,
      problem: null,
      lines: [{ requestId: 'b' }, { requestId: 'c' }],
    });
    const idsIn = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { requestId: string }).requestId);
    expect(idsIn(readFileSync(file, 'utf8'))).toEqual(['a', 'b', 'c']);
    log.close();
    begin('d').response.emit('close');
    expect(idsIn(readFileSync(file, 'utf8'))).toHaveLength(3);
    expect(log.recent().lines).toHaveLength(2);
  });

  it('that cannot be written is a sentence, and none is kept if none is asked for', () => {
    expect(() => logOf({ file: '/nowhere/truth', keep: 1 })).toThrow(
      /^The mock cannot write its trace log to \/nowhere\/truth: .*\.$/,
    );
    expect(openRequestTraceLog({ truth: null } as never)).toBeNull();
  });
});

it('a request of which nothing else is known has only its instants', () => {
  const { log, time, begin } = logOf({ file: null, keep: 10 });
  time.now = 3;
  const { response } = begin('b');
  time.now = 4;
  response.emit('close');
  expect(log.recent().lines).toEqual([
    {
      requestId: 'b',
      key: 1,
      accepted: 3,
      kind: null,
      admitted: false,
      limits: null,
      charges: [],
      queued: null,
      prefillEnd: null,
      micros: 0,
      read: null,
      due: [],
      sent: [],
      written: [],
      bytes: 0,
      ended: 4,
      end: 'completed',
      fault: null,
      status: null,
    },
  ]);
});
