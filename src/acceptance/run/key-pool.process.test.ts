import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { attemptsOf, type Observation } from '../../model/observation/observation.ts';
import type { Result } from '../../model/result/result.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { readObservations, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Requests that each key has in each window, which is longer than the test. */
const limit = 20;
const window = milliseconds(600_000);
const keys = { FIRST: 'sk-pool-1', SECOND: 'sk-pool-2', THIRD: 'sk-pool-3' };

interface FinishedRun {
  readonly result: Result;
  readonly observations: readonly Observation[];
}

/**
 * A run of thirty requests over three keys, of which another client has just exhausted the first. Each
 * key sends every 300 ms, which is usually after the answer to its last request.
 */
const runBeside = async (client: string): Promise<FinishedRun> => {
  const limits = { requestsPerMinute: limit, window };
  const mock = await openMock({ keys: Object.values(keys), limits });
  for (let count = 0; count < limit; count += 1) {
    const headers = { authorization: `Bearer ${keys.FIRST}` };
    await (await fetch(`${mock.url}/models`, { headers })).arrayBuffer();
  }
  const out = await tempFolder();
  const scenario = `
name: pool
target: ${mock.url}
keys:
  - { name: first, key: '\${env:FIRST}' }
  - { name: second, key: '\${env:SECOND}' }
  - { name: third, key: '\${env:THIRD}' }
traffic: [{ kind: models }]
load: { kind: constant, rate: 10/s, duration: 3s }
limits: { requestsPerMinute: ${limit}, tokensPerMinute: none }
${client}
`;
  const file = join(out, 'observations.jsonl');
  const words = ['run', await tempFile('s.yaml', scenario), '--quiet', '--out', out];
  await weir([...words, '--observations', file], keys);
  return { result: await resultIn(out), observations: await readObservations(file) };
};

/** Admitted and refused requests of each key. */
const byKey = ({ result: { ledger } }: FinishedRun) =>
  Object.fromEntries(
    ledger.map(({ key, rows }) => {
      const refused = rows.filter(([, , status]) => status === 429).length;
      return [key, { admitted: rows.length - refused, refused }];
    }),
  );

describe('a pool of three keys, one of them exhausted', () => {
  it('is refused with that key only', async () => {
    const { first, second, third } = byKey(await runBeside(''));
    expect(first).toMatchObject({ admitted: 0 });
    expect(first!.refused).toBeGreaterThan(0);
    expect(second!.admitted).toBeGreaterThan(0);
    expect(third!.admitted).toBeGreaterThan(0);
    expect(second!.refused + third!.refused).toBe(0);
  });

  it('uses only the other keys with a pace, after the first refusal', async () => {
    const run = await runBeside('pace: { window: 10m }\nretry: { base: 100ms }');
    const { first, second, third } = byKey(run);
    expect(first).toMatchObject({ admitted: 0 });
    // Requests that began before the first refusal may still be sent after it.
    const byFirst = run.observations.flatMap(attemptsOf).filter(({ key }) => key === 'first');
    expect(first!.refused).toBeGreaterThan(0);
    expect(byFirst).toHaveLength(first!.refused);
    const firstRefusal = Math.min(...byFirst.map(({ ended }) => ended));
    expect(byFirst.filter(({ begun }) => begun > firstRefusal)).toEqual([]);
    expect(second!.admitted + third!.admitted).toBe(30);
    expect(second!.refused + third!.refused).toBe(0);
  });
});
