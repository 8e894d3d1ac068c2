import { describe, expect, it } from 'vitest';
import { mockVerb } from './mock.ts';

/** What the verb is given by a command line without options. */
const usual = {
  port: '0',
  controlPort: '0',
  host: '127.0.0.1',
  contained: false,
  embedded: false,
  uploads: true,
  set: [] as readonly string[],
};

const refusalOf = (given: object): Promise<string> =>
  mockVerb.run({ ...usual, ...given }).then(
    () => 'nothing',
    (error: unknown) => (error as Error).message,
  );

describe('the command line of the gateway', () => {
  it('has a lifetime with a unit', async () => {
    expect(await refusalOf({ lifetime: '10' })).toMatch(/^--lifetime: expected .*; got 10$/);
  });

  it('takes no number for a scenario, since that is likely a port', async () => {
    expect(await refusalOf({ scenario: '8080' })).toBe(
      'expected a scenario file or options, got the number 8080: write --port 8080',
    );
    expect(await refusalOf({ scenario: './8080' })).not.toContain('--port');
  });

  it('has ports up to 65,535, and a whole seed', async () => {
    expect(await refusalOf({ port: '65536' })).toMatch(/^--port: /);
    expect(await refusalOf({ controlPort: '65536' })).toMatch(/^--control-port: /);
    expect(await refusalOf({ seed: '1.5' })).toMatch(/^--seed: /);
  });

  it.each([
    [{ ttft: 'x' }, '--ttft'],
    [{ gap: 'x' }, '--gap'],
    [{ latency: 'x' }, '--latency'],
    [{ window: 'x' }, '--window'],
    [{ algorithm: 'x' }, '--algorithm'],
    [{ profile: 'x' }, '--profile'],
    [{ credits: 'x' }, '--credits'],
    [{ 'requests-per-minute': 'x' }, '--requests-per-minute'],
    [{ 'tokens-per-minute': 'x' }, '--tokens-per-minute'],
    [{ set: ['limits.workers=x'] }, '--set limits.workers'],
  ])('names its own options in what it refuses: %j', async (given, name) => {
    const message = await refusalOf(given);
    expect(message).toContain(name);
    expect(message).not.toContain('mock.');
  });
});
