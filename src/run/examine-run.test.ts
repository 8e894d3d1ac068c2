import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confirmPlanned, examineRun, withPlannedBudget } from './examine-run.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { readPlanWithFiles } from './input/read-plan.ts';
import { insideKeys, insideScenario, openInside } from './runs-inside.fixture.ts';

const readOf = (changes: object) => {
  const traffic = [{ kind: 'chat', model: 'weir/small', prompt: 'one two', maxTokens: 12 }];
  const value = { name: 'planned', target: 'mock', traffic, ...changes };
  return readPlanWithFiles(
    { scenario: undefined, value, flags: {}, set: [], target: undefined },
    { WEIR_API_KEY: 'sk-test-key' },
  );
};
/** 400 requests in 40 s, to which five deviations of chance add 100. */
const open = { load: { kind: 'constant', rate: '10/s', duration: '40s' } };
const users = { load: { kind: 'closed', users: 5, duration: '30s' } };
const budgetOf = async (
  changes: object,
  { requests, attempts = 1 }: { readonly requests?: string; readonly attempts?: number } = {},
) => {
  const terms = { attempts, remedy: 'fewer --pairs' };
  const { read, line } = withPlannedBudget(await readOf(changes), requests, terms);
  return { budget: read.plan.budget, line };
};

describe('the budget of a planned run', () => {
  it('is what its schedule needs with all attempts, or less where the scenario or the option says so', async () => {
    const own = await budgetOf(open);
    expect(own.budget).toEqual({ requests: 500, tokens: null, cost: null });
    expect(own.line).toMatch(
      /^at most 500 requests, retries included; as planned: .*400 requests.*; 40 s of load$/,
    );
    const requestsOf = async (...words: Parameters<typeof budgetOf>) =>
      (await budgetOf(...words)).budget?.requests;
    expect(await requestsOf(open, { attempts: 3 })).toBe(1500);
    expect(await requestsOf(open, { requests: '450' })).toBe(450);
    expect(await requestsOf(open, { requests: '9000' })).toBe(9000);
    const tokens = 70_000;
    expect((await budgetOf({ ...open, budget: { requests: 420, tokens } })).budget).toEqual({
      requests: 420,
      tokens,
      cost: null,
    });
    expect(await requestsOf({ ...open, budget: { tokens } })).toBe(500);
    expect(await requestsOf({ ...open, budget: { requests: 420 } }, { requests: '410' })).toBe(410);
  });

  it('must hold what is planned, exactly as much being enough', async () => {
    expect((await budgetOf(open, { requests: '400' })).budget?.requests).toBe(400);
    await expect(budgetOf(open, { requests: '399' })).rejects.toThrow(
      'the plan needs 400 requests, and at most 399 are allowed: raise --requests or the scenario’s budget, or give fewer --pairs',
    );
  });

  it('of users who wait for answers is a bound, which no schedule gives', async () => {
    const { budget, line } = await budgetOf(users);
    expect(budget?.requests).toBe(50_000);
    expect(line).toMatch(
      /^at most 50,000 requests, retries included; as planned if an answer takes 1 s: /,
    );
    expect((await budgetOf(users, { requests: '20' })).budget?.requests).toBe(20);
  });
});

it('a budget is confirmed only where another one’s gateway is asked', async () => {
  const { host } = fakeHost();
  const [mock, far] = [
    await readOf(open),
    await readOf({ ...open, target: 'http://127.0.0.1:9/v1' }),
  ];
  await expect(confirmPlanned(mock, host)).resolves.toBeUndefined();
  await expect(confirmPlanned(far, host)).rejects.toThrow('needs a confirmation');
  const asked: string[] = [];
  const answering = (answer: string) => ({
    ...host,
    ask: async (question: string) => {
      asked.push(question);
      return answer;
    },
  });
  await expect(confirmPlanned(far, answering('n'))).rejects.toThrow(
    'nothing was sent to the gateway',
  );
  await expect(confirmPlanned(far, answering('y'))).resolves.toBeUndefined();
  await confirmPlanned(mock, answering('n'));
  expect(asked).toHaveLength(2);
});

describe('an examination', () => {
  it('runs its plan in a folder of the report, and concludes from what it saw', async ({
    onTestFinished,
  }) => {
    const inside = await openInside();
    onTestFinished(() => inside.close());
    const value = {
      ...insideScenario,
      load: { kind: 'constant', rate: '50/s', duration: '100ms' },
    };
    const source = { scenario: undefined, value, flags: {}, set: [], target: inside.mock.url };
    const planned = await readPlanWithFiles(source, insideKeys);
    const examine = async (out: string, yes: boolean) => {
      const fake = fakeHost(insideKeys);
      const path = join(inside.folder, out);
      const request = { requests: undefined, yes, out: path };
      const terms = { kind: 'recovery', design: 'A design.', attempts: 1, remedy: 'less' } as const;
      const ended = await examineRun(
        { ...terms, planned, request },
        fake.host,
        ({ index }, { name }) => `${name} ${index}`,
        ({ result, file }, seen) => ({
          document: { weir: '0', title: 'Recovered', blocks: [], footer: '' },
          report: { seen: seen.toSorted(), budget: result.plan.budget, file },
          exit: 'incomplete',
        }),
      );
      return { ...fake, ended, path };
    };
    const { ended, said, printed, listed, path } = await examine('first', true);
    expect(ended).toBe('incomplete');
    expect(said).toEqual([
      expect.stringMatching(/^A design\.\nBudget: at most \d+ requests, retries included; .*\.$/),
      expect.stringMatching(/^inside: 100 ms against /),
    ]);
    // The run inside prints no outcome.
    expect(printed.map(({ isGood }) => isGood)).toEqual([false]);
    expect(listed).toEqual([
      `Report: ${join(path, 'recovery.html')}`,
      `Result: ${join(path, 'recovery.json')}`,
    ]);
    expect(existsSync(join(path, 'run', 'report.html'))).toBe(true);
    expect(JSON.parse(readFileSync(join(path, 'recovery.json'), 'utf8'))).toMatchObject({
      seen: [0, 1, 2, 3, 4].map((index) => `inside ${index}`),
      budget: { requests: expect.any(Number) },
      file: join(path, 'run', 'result.json'),
    });
    await expect(examine('second', false)).rejects.toThrow('needs a confirmation');
    expect(existsSync(join(inside.folder, 'second'))).toBe(false);
  });
});
