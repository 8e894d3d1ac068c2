import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { transportNames } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { readLines, readObservations, resultIn } from '../harness/run-files.fixture.ts';
import {
  cleanUpAfterEach,
  tempFile,
  tempFolder,
  weirProcess,
} from '../harness/weir-process.fixture.ts';
import { type HangingServer, startHangingServer } from './hanging-server.fixture.ts';

cleanUpAfterEach();

/** A prompt that does not fit into the buffers of a socket. */
const longPrompt = 'x'.repeat(3_000_000);

const entry = (name: string, fields: string): string =>
  `  - { name: ${name}, kind: chat-stream, model: ${name}, ${fields} }`;

const cancels = {
  tokens: 'cancel: { share: 50%, after: 5 tokens }',
  time: 'cancel: { share: 50%, after: 150ms }',
  sent: 'cancel: { share: 50%, after: sent }',
  headers: 'cancel: { share: 50%, after: headers }',
} as const;
type Moment = keyof typeof cancels;
const moments = Object.keys(cancels) as readonly Moment[];

const scenarioOf = (transport: string, hangsUp: boolean, more = ''): string =>
  [
    'name: hang-ups',
    `transport: ${transport}`,
    'load: { kind: constant, rate: 20/s, duration: 3s }',
    'traffic:',
    ...moments.map((name) =>
      entry(
        name,
        [
          name === 'sent' ? `prompt: ${longPrompt}` : 'prompt: Hello.',
          ...(hangsUp ? [cancels[name]] : []),
        ].join(', '),
      ),
    ),
    'objectives: [errorRate <= 0%]',
    more,
  ].join('\n');

const runAgainst = async (server: HangingServer, scenario: string, ...words: string[]) => {
  const folder = await tempFolder();
  const [out, file] = [join(folder, 'out'), join(folder, 'observations.jsonl')];
  const path = await tempFile('scenario.yaml', scenario);
  const run = ['run', path, '--target', server.url, '--out', out, '--observations', file];
  const ended = await weirProcess([...run, ...words], { WEIR_API_KEY: 'k' });
  const [header] = await readLines(file);
  const { machineZero } = JSON.parse(header!) as { machineZero: number };
  return {
    ...ended,
    result: await resultIn(out),
    observations: await readObservations(file),
    machineZero,
  };
};

const openServer = async (): Promise<HangingServer> => {
  const server = await startHangingServer();
  onTestFinished(() => server.close());
  return server;
};

const bodies = ({ served }: HangingServer): readonly string[] =>
  [...served]
    .map(([id, { body }]) => {
      const place = id.split('-').slice(-2).join('-');
      return `${place} ${createHash('sha256').update(body).digest('hex')}`;
    })
    .toSorted();

const byMoment = (observations: readonly Observation[], moment: Moment): readonly Observation[] =>
  observations.filter(({ entry: name }) => name === moment);

it.each(transportNames)(
  'the client hangs up at the moment asked for, as a server of node:http logs it, with %s',
  async (transport) => {
    const server = await openServer();
    const { observations, machineZero, result, stdout } = await runAgainst(
      server,
      scenarioOf(transport, true),
    );
    for (const moment of moments) {
      const own = byMoment(observations, moment);
      const cancelled = own.filter(({ outcome }) => outcome.kind === 'cancelled');
      // Fifteen requests at an even chance: fewer than two or more than thirteen have a probability of 0.1 %.
      expect(cancelled.length).toBeGreaterThan(1);
      expect(cancelled.length).toBeLessThan(own.length);
      expect(own.filter(({ outcome }) => outcome.kind === 'completed').length).toBe(
        own.length - cancelled.length,
      );
      const logged = own.filter(({ requestId }) => !server.served.get(requestId)!.isAnswered);
      expect(logged.map(({ requestId }) => requestId)).toEqual(
        cancelled.map(({ requestId }) => requestId),
      );
      for (const { requestId, outcome, sent, ended, head, toCancel } of cancelled) {
        const log = server.served.get(requestId)!;
        if (outcome.kind !== 'cancelled') throw new Error('not cancelled');
        const tokens = outcome.partial?.kind === 'chat-stream' ? outcome.partial.tokenInstants : [];
        expect(toCancel).toBe(true);
        // The server sees the close only after the client has made it.
        expect(log.closed - machineZero).toBeGreaterThan(ended - 1);
        expect(log.read).not.toBeNull();
        if (moment === 'tokens') {
          expect(tokens.length).toBeGreaterThanOrEqual(5);
          expect(log.written.length).toBeGreaterThanOrEqual(tokens.length);
          expect(ended).toBeGreaterThanOrEqual(log.written[4]! - machineZero);
        }
        if (moment === 'time') expect(ended - sent!).toBeGreaterThanOrEqual(150);
        if (moment === 'sent') {
          expect(log.body.length).toBeGreaterThan(longPrompt.length);
          expect([head, outcome.bytes]).toEqual([null, 0]);
        }
        if (moment === 'headers') {
          expect(head!.status).toBe(200);
          // On a busy machine one read can bring the head and what the server wrote after it.
          const hasFirstToken = (log.written[0] ?? Infinity) - machineZero <= ended;
          expect(hasFirstToken ? 0 : outcome.bytes).toBe(0);
          expect(log.headed! - machineZero).toBeLessThanOrEqual(ended);
        }
      }
    }
    // Most hang-ups are prompt; some can be late on a busy machine.
    const lateness = byMoment(observations, 'time')
      .filter(({ outcome }) => outcome.kind === 'cancelled')
      .map(({ sent, ended }) => ended - sent! - 150)
      .toSorted((a, b) => a - b);
    expect(lateness[Math.floor(lateness.length / 2)]).toBeLessThan(20);
    const all = observations.filter(({ outcome }) => outcome.kind === 'cancelled').length;
    expect(result.groups.reduce((sum, group) => sum + group.outcomes.cancelled, 0)).toBe(all);
    expect(result.verdicts!.map(({ observed }) => observed)).toEqual([0]);
    expect(stdout).toContain(`the client hung up on ${all} of ${observations.length} requests`);
    // The shares of the table are of the requests on which nobody hung up, and so is its n.
    const counted = [...stdout.matchAll(/TTFT +(\d+) +100\.0 %/g)].map(([, n]) => Number(n));
    expect(counted).toEqual([observations.length - all]);
  },
);

it('hang-ups change no other request, and are the same with two workers', async () => {
  const [alone, together, without] = [await openServer(), await openServer(), await openServer()];
  const scenario = scenarioOf('socket', true);
  const one = await runAgainst(alone, scenario);
  const two = await runAgainst(together, scenario, '--workers', '2');
  await runAgainst(without, scenarioOf('socket', false));
  const placesOf = ({ observations }: { observations: readonly Observation[] }) =>
    observations.filter(({ toCancel }) => toCancel).map(({ index }) => index);
  expect(placesOf(two).toSorted((a, b) => a - b)).toEqual(placesOf(one).toSorted((a, b) => a - b));
  const countsOf = ({ result }: typeof one) =>
    result.groups.map(({ labels, outcomes, hangUps }) => [
      labels.entry,
      outcomes.cancelled,
      hangUps!.outcomes,
    ]);
  expect(countsOf(two)).toEqual(countsOf(one));
  expect(bodies(together)).toEqual(bodies(alone));
  expect(bodies(without)).toEqual(bodies(alone));
});
