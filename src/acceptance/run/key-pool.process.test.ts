import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { attemptsOf, type Observation } from '../../model/observation/observation.ts';
import type { Result } from '../../model/result/result.ts';
import { readObservations, resultIn } from '../harness/run-files.fixture.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { tempFile, tempFolder, cleanUpAfterEach, weir } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Requests that each key has in each window, which is longer than the test. */
const limit = 20;
const window = milliseconds(600_000);
const keys = { FIRST: 'sk-pool-1', SECOND: 'sk-pool-2', THIRD: 'sk-pool-3' };

interface Ran {
  readonly result: Result;
  readonly observations: readonly Observation[];
}

/**
 * A run of thirty requests over three keys, the first of which somebody else has just exhausted. A key's
 * turn comes each 300 ms: usually the answer to its last request is known by then.
 */
const ranBeside = async (client: string): Promise<Ran> => {
  const limits = { requestsPerMinute: limit, window };
  const mock = await startMock({ keys: Object.values(keys), limits }, realClock());
  onTestFinished(() => mock.close());
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

/** Of each key: requests that were admitted, and refused. */
const byKey = ({ result: { ledger } }: Ran) =>
  Object.fromEntries(
    ledger.map(({ key, rows }) => {
      const refused = rows.filter(([, , status]) => status === 429).length;
      return [key, { admitted: rows.length - refused, refused }];
    }),
  );

describe('a pool of three keys, one of them exhausted', () => {
  it('has refusals by that key only', async () => {
    const { first, second, third } = byKey(await ranBeside(''));
    expect(first).toMatchObject({ admitted: 0 });
    expect(first!.refused).toBeGreaterThan(0);
    expect(second!.admitted).toBeGreaterThan(0);
    expect(third!.admitted).toBeGreaterThan(0);
    expect(second!.refused + third!.refused).toBe(0);
  });

  it('does all the work by the others under a pace, once a refusal has come', async () => {
    const ran = await ranBeside('pace: { window: 10m }\nretry: { base: 100ms }');
    const { first, second, third } = byKey(ran);
    expect(first).toMatchObject({ admitted: 0 });
    // What was begun before the first refusal had come could not know of it, though it may be sent later.
    const byFirst = ran.observations.flatMap(attemptsOf).filter(({ key }) => key === 'first');
    expect(first!.refused).toBeGreaterThan(0);
    expect(byFirst).toHaveLength(first!.refused);
    const told = Math.min(...byFirst.map(({ ended }) => ended));
    expect(byFirst.filter(({ begun }) => begun > told)).toEqual([]);
    expect(second!.admitted + third!.admitted).toBe(30);
    expect(second!.refused + third!.refused).toBe(0);
  });
});
