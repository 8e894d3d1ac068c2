import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wholeRunSlice } from '../model/workload/arrival.ts';
import type { Observation } from '../model/observation/observation.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import {
  observationLine,
  observationsHeader,
  readObservation,
  readObservationsHeader,
} from './observation-lines.ts';
import { anyObservation, anyObservations } from './recorder-suite.fixture.ts';
import { sampleFacts } from './sample-facts.fixture.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const reread = (observation: Observation): Observation => {
  const read = readObservation(observationLine(observation));
  if (!read.ok) throw new Error(read.message);
  return read.value;
};
const resultOf = (observations: readonly Observation[]) => {
  const tally = emptyTally(samplePlan());
  for (const observation of observations) recordObservation(tally, observation);
  return toResult(tally, sampleFacts([wholeRunSlice]));
};
const header = {
  weir: '0.1.0',
  planHash: 'abc',
  runId: 'run',
  startedAt: '2026-07-01T10:20:30.000Z',
  machineZero: 86_400_000.125,
};

describe('an observation’s line', () => {
  it('is one line and reads back as the same observation', () => {
    fc.assert(
      fc.property(anyObservation, (observation) => {
        expect(observationLine(observation)).not.toContain('\n');
        expect(reread(observation)).toEqual(observation);
      }),
    );
  });

  it('is enough to recompute the result', () => {
    fc.assert(
      fc.property(anyObservations, (observations) => {
        expect(resultOf(observations.map(reread))).toEqual(resultOf(observations));
      }),
      { numRuns: 8 },
    );
  });

  it('holds every instant, and no text of a prompt or an answer', () => {
    const stream = sampleObservation({
      traffic: 'chat-stream',
      outcome: { kind: 'completed', answer: sampleStream([5100.125, 5120]) },
    });
    expect(JSON.parse(observationLine(stream))).toMatchInlineSnapshot(`
      {
        "begun": 5001,
        "connected": 5003,
        "connection": "new",
        "due": 5000,
        "earlier": [],
        "ended": 5200,
        "gaveUp": null,
        "head": {
          "at": 5190,
          "quota": {
            "limitRequests": 60,
            "limitTokens": null,
            "remainingRequests": 59,
            "remainingTokens": null,
          },
          "serverId": "server-15",
          "status": 200,
        },
        "index": 15,
        "key": "main",
        "model": "publisher/model-8b",
        "outcome": {
          "answer": {
            "buffered": false,
            "coalesced": 0,
            "commentInstants": [],
            "cost": null,
            "finish": "stop",
            "firstByte": 5100.125,
            "firstChunkTokens": null,
            "firstEvent": 5100.125,
            "firstToken": 5100.125,
            "firstVisible": 5100.125,
            "kind": "chat-stream",
            "lastToken": 5120,
            "notes": [],
            "tokenInstants": [
              5100.125,
              5120,
            ],
            "tokens": {
              "input": 10,
              "output": 2,
              "source": "usage",
            },
          },
          "kind": "completed",
        },
        "released": 5000,
        "requestId": "run-0-15",
        "reserved": null,
        "sent": 5004,
        "stage": 0,
        "traffic": "chat-stream",
      }
    `);
  });

  it.each([
    [
      'half a line',
      '{"requestId":"r',
      /^Expected an observation .* on one line; got "\{\\"requestId/,
    ],
    [
      'a field too many',
      `{"text":"hello",${observationLine(sampleObservation()).slice(1)}`,
      /check text$/,
    ],
    ['a field too few', '{}', /check requestId, stage, index and 15 more$/],
    ['a long line that is not JSON', 'x'.repeat(500), /got "x{60}…"$/],
  ])('that is damaged is rejected: %s', (_, line, message) => {
    const read = readObservation(line);
    expect(read.ok ? 'read' : read.message).toMatch(message);
  });
});

describe('an observations file’s header', () => {
  it('names its format, the run and its plan', () => {
    const line = observationsHeader(header);
    expect(line).toBe(
      '{"format":"observations/1","weir":"0.1.0","planHash":"abc","runId":"run","startedAt":"2026-07-01T10:20:30.000Z","machineZero":86400000.125}',
    );
    expect(readObservationsHeader(line)).toEqual({
      ok: true,
      value: { format: 'observations/1', ...header },
    });
  });

  it('of another format is refused', () => {
    const read = readObservationsHeader(JSON.stringify({ format: 'observations/2', ...header }));
    expect(read.ok ? 'read' : read.message).toMatch(
      /^Expected the header of an observations\/1 file; check format/,
    );
  });
});
