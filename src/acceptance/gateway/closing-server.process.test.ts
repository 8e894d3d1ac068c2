import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { readObservations, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';
import {
  type ClosingHabit,
  type ClosingServer,
  startClosingServer,
} from './closing-server.fixture.ts';

cleanUpAfterEach();
const servers: ClosingServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const requests = 150;
const byUsers = `load: { kind: iterations, users: 2, iterations: ${requests}, maxDuration: 60s }`;

interface FinishedRun {
  readonly server: ClosingServer;
  readonly result: Result;
  readonly sent: number;
  readonly completed: number;
  readonly broken: number;
  readonly reconnected: number;
  readonly opened: number;
}

/** Runs streamed chats, or whole ones with `chat`, against a server of such a habit. */
const runAgainst = async (
  habit: ClosingHabit,
  fields: string,
  kind = 'chat-stream',
): Promise<FinishedRun> => {
  const server = await startClosingServer(habit);
  servers.push(server);
  const out = await tempFolder();
  const scenario = `target: ${server.url}\nkeys: '\${env:CLOSING_KEY}'\ntraffic: [{ kind: ${kind}, model: m, maxTokens: 5 }]\n${fields}\ncanary: false\n`;
  const file = join(out, 'observations.jsonl');
  const args = ['run', await tempFile('s.yaml', scenario), '--out', out, '--observations', file];
  // The server counts its connections.
  await weir([...args, '--no-key-check'], { CLOSING_KEY: 'k' });
  const result = await resultIn(out);
  const total = (of: (group: Result['groups'][number]) => number): number =>
    result.groups.reduce((sum, group) => sum + of(group), 0);
  const { completed, broken } = sumOutcomes(result.groups);
  const reconnected = total((group) => group.reconnected ?? 0);
  const observations = await readObservations(file);
  expect(observations.filter((each) => each.reconnected !== undefined)).toHaveLength(reconnected);
  return {
    server,
    result,
    sent: total((group) => group.sent),
    completed,
    broken,
    reconnected,
    opened: total(({ connections }) => connections.new + (connections.ahead ?? 0)),
  };
};

/** Nothing was read twice, and what was answered counts as completed. */
const expectEachOnce = ({ server, completed }: FinishedRun): void => {
  expect(new Set(server.received).size).toBe(server.received.length);
  expect(completed).toBe(server.answered());
};

const transports = ['socket', 'undici'] as const;
const after = (milliseconds: number, close: 'end' | 'destroy' | 'reset') =>
  ({ close, after: milliseconds }) as const;

describe.each(transports)('by %s, a server that promises to keep its connections and', (name) => {
  const fields = `${byUsers}\ntransport: ${name}`;

  it.each([
    ['ends each right after its answer', after(0, 'end')],
    ['closes each right after its answer', after(0, 'destroy')],
    ['resets each right after its answer', after(0, 'reset')],
  ])('%s answers every request', async (_, habit) => {
    const run = await runAgainst(habit, fields);
    expectEachOnce(run);
    expect(run).toMatchObject({ sent: requests, completed: requests, broken: 0 });
    expect(run.server.received).toHaveLength(requests);
    expect(run.opened + run.reconnected).toBeGreaterThanOrEqual(requests);
    expect(run.result.notes).toEqual([
      expect.stringContaining('closes its connections after each answer'),
    ]);
  });

  it.each([
    ['ends each 0.1 ms after its answer', after(0.1, 'end')],
    ['closes each 0.1 ms after its answer', after(0.1, 'destroy')],
    ['closes each 5 ms after its answer', after(5, 'destroy')],
    ['resets each 5 ms after its answer', after(5, 'reset')],
    ['closes each after the third answer', { ...after(0, 'destroy'), each: 3 }],
  ] as const)('%s answers all but the few that met it', async (_, habit) => {
    const run = await runAgainst(habit, fields);
    expectEachOnce(run);
    expect(run.completed + run.broken).toBe(requests);
    expect(run.broken).toBeLessThanOrEqual(requests / 15);
    // What was lost may or may not have been read.
    expect(run.server.received.length).toBeLessThanOrEqual(requests);
    expect(run.server.received.length).toBeGreaterThanOrEqual(run.completed);
  });

  // The server's timers fire just before it reads, so a close finds a request on its way in about every second case.
  it('closes one in ten within three milliseconds loses at most one request by each close', async () => {
    const run = await runAgainst({ close: 'sometimes' }, fields);
    expectEachOnce(run);
    expect(run.completed + run.broken).toBe(requests);
    expect(run.server.closings()).toBeLessThanOrEqual(requests / 10);
    expect(run.broken).toBeLessThanOrEqual(run.server.closings());
    // What was lost may or may not have been read.
    expect(run.server.received.length).toBeLessThanOrEqual(requests);
    expect(run.server.received.length).toBeGreaterThanOrEqual(run.completed);
  });

  it('announces each close answers every request, and nothing is said of it', async () => {
    const run = await runAgainst({ close: 'announced' }, fields);
    expectEachOnce(run);
    expect(run).toMatchObject({ completed: requests, broken: 0, reconnected: 0 });
    expect(run.result.notes).toEqual([]);
  });

  it('closes instead of a second answer is sent nothing twice', async () => {
    const run = await runAgainst({ close: 'unanswered' }, fields);
    expectEachOnce(run);
    expect(run).toMatchObject({ sent: requests, reconnected: 0 });
    expect(run.server.received).toHaveLength(requests);
    expect(run.broken).toBeGreaterThanOrEqual(1);
    expect(run.completed + run.broken).toBe(requests);
  });

  it('closes instead of any answer is sent nothing twice', async () => {
    const run = await runAgainst({ close: 'never-answers' }, fields);
    expectEachOnce(run);
    expect(run).toMatchObject({ sent: requests, broken: requests, reconnected: 0 });
    expect(run.server.received).toHaveLength(requests);
  });

  it.each([
    ['keeps them', '{}', 2, 2],
    ['gets a new one for each request', '{ reuse: false }', requests, requests],
    [
      'gets ten requests on one',
      '{ maxRequestsPerConnection: 10 }',
      requests / 10,
      requests / 10 + 1,
    ],
  ])('%s sees as many connections as the scenario asks for', async (_, wire, least, most) => {
    const run = await runAgainst({ close: 'keeps' }, `${fields}\nwire: ${wire}`);
    expectEachOnce(run);
    expect(run).toMatchObject({ completed: requests, reconnected: 0 });
    // The last connection of each of the users may have room left.
    expect(run.opened).toBeGreaterThanOrEqual(least);
    expect(run.opened).toBeLessThanOrEqual(most);
    // One more looked at the target before the run.
    expect(run.server.connections()).toBe(run.opened + 1);
  });
});

describe('by saturate, a server that', () => {
  const fields = 'load: { kind: saturate, connections: 3, duration: 1s }';

  it.each([
    ['ends each connection right after its answer', after(0, 'end')],
    ['closes each connection right after its answer', after(0, 'destroy')],
    ['closes each after the third answer', { ...after(0, 'destroy'), each: 3 }],
  ] as const)('%s answers every request', async (_, habit) => {
    const run = await runAgainst(habit, fields, 'chat');
    // Its requests are the same ones again and again.
    expect(run.completed).toBe(run.server.answered());
    expect(run.broken).toBeLessThanOrEqual(3);
    expect(run.completed).toBeGreaterThan(20);
    expect(run.result.notes).toContainEqual(
      expect.stringMatching(/closes its connections after (?:each|3) answers?/),
    );
  });

  it('closes instead of an answer is sent no request twice', async () => {
    const run = await runAgainst({ close: 'never-answers' }, fields, 'chat');
    expect(run).toMatchObject({ completed: 0, reconnected: 0 });
    expect(run.server.received.length).toBeLessThanOrEqual(run.sent);
    expect(run.server.received.length).toBeGreaterThanOrEqual(run.sent - 3);
  });

  it('keeps connections gets as many as the scenario asks for', async () => {
    const kept = await runAgainst({ close: 'keeps' }, fields, 'chat');
    expect(kept.opened).toBe(3);
    const fresh = await runAgainst({ close: 'keeps' }, `${fields}\nwire: { reuse: false }`, 'chat');
    expect(fresh.opened).toBe(fresh.sent);
  });
});
