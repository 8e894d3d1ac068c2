import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preflightId } from '../../contract/routes.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import type { RequestTraceLine } from '../../mock/http/request-trace.ts';
import type { Outcome } from '../../model/observation/outcome.ts';
import { type TransportName, transportNames } from '../../model/observation/exchange.ts';
import { type FaultName, faultNames } from '../../model/gateway/mock-faults.ts';
import { milliseconds } from '../../model/quantity.ts';
import { exitOf, readLines, readObservations, resultIn } from '../harness/run-files.fixture.ts';
import {
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** An outcome in a few words: its kind, and its cause or notes. */
const summaryOf = (outcome: Outcome, fault: string | null | undefined): string => {
  switch (outcome.kind) {
    case 'completed':
      return ['completed', ...outcome.answer.notes].join(' ');
    case 'malformed':
      return `malformed ${outcome.issue}`;
    case 'broken':
      // Whether the connection was reused depends on the requests before.
      if (outcome.cause !== 'closed-on-reuse') return `broken ${outcome.cause}`;
      return fault?.startsWith('fin') === true ? 'broken closed-early' : 'broken reset';
    case 'refused':
      return `refused ${outcome.refusal.status} ${outcome.refusal.form}`;
    case 'limited':
    case 'dropped':
    case 'cancelled':
      return outcome.kind;
  }
};

/** Runs one request of a kind for each fault; the outcomes by fault. */
const outcomesBy = async (
  transport: TransportName,
  kind: 'chat' | 'chat-stream',
  faults: readonly FaultName[],
) => {
  const folder = await tempFolder();
  const traceFile = join(folder, 'trace.jsonl');
  const observationFile = join(folder, 'observations.jsonl');
  const mock = await startMock(
    {
      ttft: milliseconds(10),
      gap: milliseconds(2),
      limits: { requestsPerMinute: null },
      truth: { file: traceFile },
      faults: faults.map((fault, index) => ({
        fault,
        nth: index + 1,
        ...(fault === 'slow-head' ? { delay: 100 } : {}),
        // Slow enough to reach its deadline before it is too large.
        ...(fault === 'endless-stream' ? { delay: 10 } : {}),
      })),
    },
    realClock(),
  );
  const scenario = `
name: faults
traffic:
  - { kind: ${kind}, model: weir/small, maxTokens: 3 }
load: { kind: constant, rate: 25/s, duration: ${faults.length * 40}ms }
deadlines: { firstToken: 8s, idle: 9s, total: 12s }
grace: 15s
`;
  let counters: Record<string, number>;
  try {
    const { code, stderr } = await weirProcess(
      [
        'run',
        await tempFile('s.yaml', scenario),
        '--target',
        mock.url,
        '--transport',
        transport,
        '--out',
        folder,
        '--observations',
        observationFile,
        // The faults are counted by requests.
        '--no-key-check',
      ],
      { WEIR_API_KEY: 'sk-weir-test' },
    );
    expect(code, stderr).toBe(exitOf(await resultIn(folder), 0));
    counters = (await (await fetch(`${mock.controlUrl}/counters`)).json()) as typeof counters;
  } finally {
    await mock.close();
  }
  const faultOf = new Map(
    (await readLines(traceFile))
      .map((line) => JSON.parse(line) as RequestTraceLine)
      .filter(({ requestId }) => requestId !== preflightId)
      .map(({ requestId, fault }) => [requestId, fault]),
  );
  const outcomes = (await readObservations(observationFile)).map(({ requestId, outcome }) => {
    const fault = faultOf.get(requestId);
    return [fault, summaryOf(outcome, fault)] as const;
  });
  return { counters, outcomes: Object.fromEntries(outcomes) as Record<string, string> };
};

/** The outcomes by fault, which must be the same with every transport. */
const outcomesOf = async (kind: 'chat' | 'chat-stream', faults: readonly FaultName[]) => {
  const [first, ...others] = await Promise.all(
    transportNames.map((transport) => outcomesBy(transport, kind, faults)),
  );
  if (first === undefined) throw new Error('there is no transport');
  for (const other of others) expect(other.outcomes).toEqual(first.outcomes);
  return first;
};

it('a streamed chat has the right outcome for each fault', async () => {
  const { outcomes, counters } = await outcomesOf('chat-stream', faultNames);
  expect(outcomes).toMatchInlineSnapshot(`
    {
      "bom": "completed",
      "broken-event": "malformed stream-event",
      "comments": "completed",
      "cr": "completed",
      "crlf": "completed",
      "data-after-done": "completed data-after-done",
      "dribble": "completed",
      "empty-balance": "refused 402 error",
      "endless-line": "broken too-large",
      "endless-stream": "broken deadline-total",
      "error-event": "malformed stream-error",
      "error-object": "malformed stream-error",
      "fin-before-head": "broken closed-early",
      "fin-mid-body": "broken closed-early",
      "fin-mid-stream": "broken closed-early",
      "fin-without-done": "broken closed-early",
      "finish-error": "malformed stream-error",
      "gzip-body": "completed",
      "gzip-stream": "malformed content-type",
      "html-200": "malformed content-type",
      "html-502": "refused 502 html",
      "huge-event": "broken too-large",
      "json-error-200": "malformed stream-error",
      "key-revoked": "refused 401 error",
      "length-too-long": "completed",
      "length-too-short": "completed",
      "multi-line": "completed",
      "no-answer": "broken deadline-first-token",
      "no-done": "completed no-done",
      "no-space": "completed",
      "null-fields": "completed",
      "odd-chunks": "completed",
      "open-after-done": "completed cut-after-done",
      "pause-mid-stream": "completed",
      "reasoning": "completed",
      "reset-before-head": "broken reset",
      "reset-mid-body": "broken reset",
      "reset-mid-event": "broken reset",
      "reset-mid-stream": "broken reset",
      "role-first": "completed",
      "several-tokens": "completed",
      "slow-head": "completed",
      "stall-mid-body": "broken deadline-first-token",
      "stall-mid-stream": "broken deadline-idle",
      "status-500": "refused 500 error",
      "status-503": "refused 503 error",
      "stream-status-500": "refused 500 error",
      "truncated": "malformed stream-truncated",
      "usage-every-chunk": "completed",
      "usage-no-choices": "completed",
      "usage-null-choices": "completed",
      "wrong-content-type": "completed content-type",
    }
  `);
  expect(counters).toMatchObject({ faulted: faultNames.length, completed: 0, inFlight: 0 });
});

it('a chat that is not streamed has the right outcome for each fault that it can meet', async () => {
  const faults = faultNames.slice(0, faultNames.indexOf('role-first'));
  const { outcomes, counters } = await outcomesOf('chat', faults);
  expect(outcomes).toMatchInlineSnapshot(`
    {
      "dribble": "completed",
      "empty-balance": "refused 402 error",
      "fin-before-head": "broken closed-early",
      "fin-mid-body": "broken closed-early",
      "gzip-body": "completed",
      "html-200": "malformed content-type",
      "html-502": "refused 502 html",
      "json-error-200": "malformed stream-error",
      "key-revoked": "refused 401 error",
      "length-too-long": "broken closed-early",
      "length-too-short": "malformed not-json",
      "no-answer": "broken deadline-first-token",
      "reset-before-head": "broken reset",
      "reset-mid-body": "broken reset",
      "slow-head": "completed",
      "stall-mid-body": "broken deadline-idle",
      "status-500": "refused 500 error",
      "status-503": "refused 503 error",
      "stream-status-500": "refused 500 error",
      "wrong-content-type": "completed",
    }
  `);
  expect(counters).toMatchObject({ faulted: faults.length, completed: 0, inFlight: 0 });
});
