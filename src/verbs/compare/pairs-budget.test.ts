import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { readPlanWithFiles } from '../../run/input/read-plan.ts';
import { agreeOnPairs } from './pairs-budget.ts';

const scenario = {
  name: 'pairs',
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
  prices: { m: { input: 1000, output: 3000 } },
  load: { kind: 'constant', rate: '10/s', duration: '3s' },
  limits: 'none',
  warmUp: '0s',
  canary: false,
};

/** Asks for consent to a scenario on both sides. `agreed` is why it was refused, or `null`. */
const asked = async (changes: object, yes: boolean, target: string) => {
  const fake = fakeHost({ WEIR_API_KEY: 'k' });
  const value = { ...scenario, ...changes };
  const source = { scenario: undefined, value, flags: {}, set: [], target };
  const read = await readPlanWithFiles(source, fake.host.environment);
  const agreed = await agreeOnPairs([read, read], yes, fake.host).then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
  return { agreed, said: fake.said };
};

const address = 'http://127.0.0.1:9/v1';

describe('the budget of two sides', () => {
  it('is twice what a single one needs', async () => {
    const { said, agreed } = await asked({}, true, address);
    expect(agreed).toBeNull();
    expect(said).toEqual([expect.stringMatching(/^Budget of both sides: 60 requests, /)]);
    expect(said[0]).toMatch(/, at most 240 out; .*; 3 s of load\.$/);
    const retried = await asked({ retry: { attempts: 3 } }, true, address);
    expect(retried.said[0]).toMatch(/; 3 s of load, 180 with all retries\.$/);
  });

  it('needs a consent, unless it was given or both gateways are of this process', async () => {
    expect((await asked({}, false, address)).agreed).toMatch(/needs a confirmation/);
    expect((await asked({}, false, 'mock')).agreed).toBeNull();
  });

  it('may not exceed that of the scenario, unless it is to be spent', async () => {
    const within = (requests: number, yes = false) =>
      asked({ budget: { requests } }, yes, 'mock').then(({ agreed }) => agreed);
    expect(await within(60)).toBeNull();
    expect(await within(59)).toMatch(
      /^budget\.requests is 59, and both sides together need .*60.*: raise it or send less; --yes/,
    );
    expect(await within(59, true)).toBeNull();
  });
});
