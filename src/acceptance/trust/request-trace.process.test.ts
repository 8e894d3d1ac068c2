import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import type { RequestTraceLine } from '../../mock/http/request-trace.ts';
import { preflightId } from '../../contract/routes.ts';
import { milliseconds } from '../../model/quantity.ts';
import { readObservation, readObservationsHeader } from '../../record/observation-lines.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = `
name: every-kind
traffic:
  - { kind: chat-stream, model: weir/small, weight: 3, maxTokens: 8 }
  - { kind: chat, model: weir/small, weight: 2, maxTokens: 4 }
  - { kind: speech, model: weir-tts, weight: 1 }
  - { kind: transcription, model: weir/whisper, weight: 1 }
  - { kind: models, weight: 1 }
load: { kind: constant, rate: 60/s, duration: 1500ms }
grace: 10s
`;

const read = <T>(result: { ok: true; value: T } | { ok: false; message: string }): T => {
  if (!result.ok) throw new Error(result.message);
  return result.value;
};

/** Runs the scenario against a mock that writes a request trace; the records of both sides. */
const runBothSides = async () => {
  const folder = await tempFolder();
  const traceFile = join(folder, 'trace.jsonl');
  const observationFile = join(folder, 'observations.jsonl');
  const mock = await startMock(
    {
      ttft: milliseconds(30),
      gap: milliseconds(5),
      speech: { base: milliseconds(20), perCharacter: milliseconds(0) },
      transcription: { base: milliseconds(20), perSecond: milliseconds(1) },
      limits: { requestsPerMinute: 60 },
      truth: { file: traceFile },
    },
    realClock(),
  );
  try {
    await weir(
      [
        'run',
        await tempFile('s.yaml', scenario),
        '--target',
        mock.url,
        '--out',
        folder,
        '--observations',
        observationFile,
        // Every request of the trace has an observation.
        '--no-key-check',
      ],
      { WEIR_API_KEY: 'sk-weir-test' },
    );
  } finally {
    await mock.close();
  }
  const lines = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n');
  const allTraces = (await lines(traceFile)).map((line) => JSON.parse(line) as RequestTraceLine);
  const [header = '', ...rest] = await lines(observationFile);
  return {
    traces: allTraces.filter(({ requestId }) => requestId !== preflightId),
    zero: read(readObservationsHeader(header)).machineZero,
    observations: rest.map((line) => read(readObservation(line))),
  };
};

/** Clocks of two processes on one machine agree to this many ms: each reads its origin once. */
const agreement = 0.05;

const isInOrder = (instants: readonly (number | null | undefined)[]): boolean => {
  const known = instants.filter((instant) => typeof instant === 'number');
  return known.every((at, n) => n === 0 || (known[n - 1] ?? 0) <= at + agreement);
};

it('client and gateway record the same requests, with their instants in the right order', async () => {
  const { traces, zero, observations } = await runBothSides();
  const traceById = new Map(traces.map((trace) => [trace.requestId, trace]));
  const sent = observations.filter((seen) => seen.sent !== null);
  expect(sent.map(({ requestId }) => requestId).toSorted()).toEqual(
    [...traceById.keys()].toSorted(),
  );
  expect(sent).toHaveLength(90);
  expect(new Set(traces.map(({ kind }) => kind))).toEqual(
    new Set(['chat-stream', 'chat', 'speech', 'transcription', 'models']),
  );
  for (const seen of sent) {
    const trace = traceById.get(seen.requestId);
    const answer = seen.outcome.kind === 'completed' ? seen.outcome.answer : null;
    const stream = answer?.kind === 'chat-stream' ? answer : null;
    const onMachine = (at: number | null) => (at === null ? null : zero + at);
    const instants = [
      onMachine(seen.due),
      onMachine(seen.begun),
      onMachine(seen.sent),
      trace?.accepted,
      trace?.read,
      trace?.queued,
      trace?.prefillEnd,
      trace?.due[0],
      trace?.sent[0],
      onMachine(stream?.firstToken ?? answer?.firstByte ?? seen.ended),
      onMachine(seen.ended),
    ];
    expect(instants.filter((at) => typeof at !== 'number').length).toBeLessThanOrEqual(
      stream !== null ? 0 : answer?.kind === 'chat' ? 2 : 5,
    );
    expect(isInOrder(instants), JSON.stringify({ instants, seen, trace })).toBe(true);
    expect(trace?.status).toBe(seen.head?.status);
    expect(trace?.end?.split('.')[0]).toBe(seen.outcome.kind);
    if (stream === null) continue;
    expect(trace?.sent).toHaveLength(8);
    expect(trace?.prefillEnd).toBe(trace?.due[0]);
    for (const [n, at] of stream.tokenInstants.entries()) {
      expect(trace!.due[n]!).toBeLessThanOrEqual(trace!.sent[n]!);
      expect(trace!.sent[n]!).toBeLessThanOrEqual(zero + at + agreement);
    }
  }
});

it('the trace contains each decision of the limiter, and its state before and after', async () => {
  const { traces } = await runBothSides();
  const decided = traces.map(({ admitted, limits }) => ({
    admitted,
    before: limits?.before.requests?.remaining,
    after: limits?.after.requests?.remaining,
  }));
  const inTurn = decided.toSorted((a, b) => (b.before ?? 0) - (a.before ?? 0));
  expect(inTurn.slice(0, 60)).toEqual(
    Array.from({ length: 60 }, (_, n) => ({ admitted: true, before: 60 - n, after: 59 - n })),
  );
  expect(new Set(inTurn.slice(60).map((decision) => JSON.stringify(decision)))).toEqual(
    new Set([JSON.stringify({ admitted: false, before: 0, after: 0 })]),
  );
});
