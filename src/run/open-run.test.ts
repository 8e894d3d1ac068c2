import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { sampleObservation } from '../record/sample-observations.fixture.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { readPlanWithFiles } from './input/read-plan.ts';
import type { RunRequest } from './input/run-request.ts';
import { openRun, rejectSmallShares } from './open-run.ts';
import { combineObservers, type RunObserver } from './watch/observer.ts';

/** Runs are opened, and closed again before they send anything. */

const home = mkdtempSync(join(tmpdir(), 'weir-open-'));
afterAll(() => rmSync(home, { recursive: true }));

const environment = { WEIR_API_KEY: 'sk-of-this-test' };
const chat = { kind: 'chat', model: 'm', prompt: 'one two', maxTokens: 5 };
const scenario = {
  name: 'opened',
  traffic: [chat],
  load: { kind: 'constant', rate: '50/s', duration: '100ms' },
  canary: false,
};
const target = 'http://127.0.0.1:9/v1';
const unlooked = { preflight: false, keyCheck: false };

const open = async (
  changes: object,
  more: Partial<RunRequest> = {},
  observe: Parameters<typeof openRun>[2] = () => ({}),
) => {
  const fake = fakeHost(environment);
  const request = runRequest({ ...scenario, ...changes }, target, { ...unlooked, ...more });
  const opener = { ...fake.host, requestStop: () => undefined };
  return { ...fake, opened: await openRun(request, opener, observe) };
};
const saysOf = async (...words: Parameters<typeof open>): Promise<readonly string[]> => {
  const { opened, said } = await open(...words);
  await opened.openings.close();
  return said;
};

describe('what contradicts a run is refused before anything is opened', () => {
  const saturating = { load: { kind: 'saturate', connections: 2, duration: '1s' } };
  it.each<[string, object, Partial<RunRequest>, string]>([
    [
      'a capture of what is saturated',
      saturating,
      { capture: 'all' },
      '--capture reads Weir’s own transports, and a load of the kind "saturate" is sent by autocannon. Leave --capture out, or use the kind "closed"',
    ],
    [
      'a slice of what is saturated',
      saturating,
      { slice: { index: 0, count: 2 } },
      '--slice: a load of the kind "saturate" has no shares: every machine would saturate the target by itself. Start a separate run on each machine, or use the kind "closed"',
    ],
    [
      'a share of a limit that is too small',
      { pace: { tokens: 'none' }, limits: { requestsPerMinute: 3 } },
      { slice: { index: 0, count: 4 } },
      'pace: 4 slices cannot share a key’s requests of 3',
    ],
    [
      'slices that end when they are decided',
      { until: 'decided', atMost: '1h', objectives: ['errorRate < 5%'] },
      { slice: { index: 0, count: 2 } },
      'until: decided: ',
    ],
    ['a budget', { budget: { requests: 4 } }, {}, 'budget.requests is 4, and the plan needs 5'],
    ['a start', {}, { startAt: Date.now() - 5000 }, '--start-at: '],
  ])('%s', async (name, changes, more, message) => {
    const out = join(home, name);
    await expect(open(changes, { ...more, out })).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });

  it('but one machine alone may saturate', async () => {
    expect(await saysOf(saturating)).toEqual([]);
  });

  it('but a budget only if nobody said yes', async () => {
    expect(await saysOf({ budget: { requests: 4 } }, { yes: true })).toEqual([]);
  });

  it('and shares only if a pace has to be shared', async () => {
    const { plan } = await readPlanWithFiles(
      runRequest(
        { ...scenario, pace: { tokens: 'none' }, limits: { requestsPerMinute: 3 } },
        target,
      ).source as never,
      environment,
    );
    expect(() => rejectSmallShares(plan, 3)).not.toThrow();
    expect(() => rejectSmallShares(plan, 4)).toThrow('pace');
    expect(() => rejectSmallShares({ ...plan, pace: null }, 4)).not.toThrow();
  });
});

it('objectives that the plan cannot decide are said', async () => {
  const objectives = ['endToEnd.p99 < 5s'];
  const undecidable = expect.stringMatching(
    /^The objective endToEnd\.p99 < 5s cannot be decided: .* gives at most 5\. /,
  );
  expect(await saysOf({ objectives })).toEqual([undecidable]);
  expect(await saysOf({ objectives }, { yes: true })).toEqual([undecidable]);
  expect(await saysOf({})).toEqual([]);
});

describe('an opened run', () => {
  it('is watched as was asked, by the recorder first and its caller last', async () => {
    const own: RunObserver = { announcements: ['mine'] };
    const seen: string[] = [];
    const { opened } = await open({}, {}, ({ name }) => {
      seen.push(name);
      return own;
    });
    const { observers } = opened.openings;
    expect(seen).toEqual(['opened']);
    expect(observers[0]).toBe(opened.recorder);
    expect(observers.at(-2)).toBe(own);
    // Besides the recorder, its own and the server: what may end the run, and the checkpoints.
    expect(observers).toHaveLength(5);
    expect(opened.server.collected()).toBeUndefined();
    const combined = combineObservers(observers);
    expect([combined.findBreach(instant(1e9)), combined.findRefusal()]).toEqual([null, null]);
    await opened.openings.close();
  });

  it('watches objectives that end it, in this thread and in workers', async () => {
    const objectives = [{ objective: 'sent < 2', abort: { after: '1s' } }, 'errorRate < 50%'];
    const { opened } = await open({ objectives });
    const { onObservation, onWorkerUpdate, findBreach } = combineObservers(
      opened.openings.observers.filter((each) => each.findBreach !== undefined),
    );
    onObservation(sampleObservation());
    expect(findBreach(instant(1000))).toBeNull();
    onWorkerUpdate({ observations: [sampleObservation()] } as never);
    expect(findBreach(instant(999))).toBeNull();
    expect(findBreach(instant(1000))).toEqual({ text: 'sent < 2', at: 1000, observed: 2 });
    await opened.openings.close();
  });

  it('has its own id, or that of its plan, and sends with what the target needs', async () => {
    const { opened } = await open({}, { runId: 'mine' });
    expect([opened.facts.runId, opened.options.runId]).toEqual(['mine', 'mine']);
    expect(opened.options.credentials).toEqual([
      expect.objectContaining({ value: 'sk-of-this-test' }),
    ]);
    expect([opened.folder, opened.workerPool, opened.canary.streamOptions]).toEqual([
      null,
      null,
      null,
    ]);
    await opened.openings.close();
    const other = await open({});
    expect(other.opened.facts.runId).toBe(`weir-${other.opened.facts.planHash.slice(0, 8)}`);
    await other.opened.openings.close();
  });

  it('of a plan that was made before does not read a scenario', async () => {
    const { source } = runRequest(scenario, target);
    const read = await readPlanWithFiles(source as never, environment);
    const { opened } = await open({ traffic: 'none' }, { source: read });
    expect(opened.options.plan).toBe(read.plan);
    await opened.openings.close();
  });

  it('keeps files for what was asked, which are gone if it is given up', async () => {
    const folder = mkdtempSync(join(home, 'files-'));
    const path = (name: string): string => join(folder, name);
    const calls: string[] = [];
    const note = (name: string) => async () => void calls.push(name);
    const { opened } = await open(
      { traffic: [chat], load: { ...scenario.load, rate: '10/s' } },
      {
        out: path('run'),
        observations: path('o.jsonl'),
        requests: path('r.csv'),
        capture: 'failed',
        earlyStop: true,
        extraReports: { summary: path('summary.md') },
      },
      () => ({ discard: note('discard'), close: note('close') }),
    );
    const { observers } = opened.openings;
    expect(observers.flatMap(({ announcements = [] }) => announcements)).toEqual([
      'capture.jsonl will contain failed requests with prompts and answers as they are; only keys and secrets are masked. Keep it private.',
    ]);
    expect(observers.filter(({ findRefusal }) => findRefusal !== undefined)).toHaveLength(1);
    expect(observers.flatMap(({ files = [] }) => files.map(({ title }) => title))).toEqual([
      'Requests',
    ]);
    expect(readdirSync(path('run')).toSorted()).toEqual([
      '.weir-lock',
      'capture.jsonl',
      'checkpoint.jsonl',
    ]);
    await opened.openings.discard();
    expect(calls).toEqual(['discard', 'close']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is given up with the error of a part that cannot be opened', async () => {
    const out = join(home, 'failing');
    const failing = open({}, { out }, () => {
      throw new Error('no observer');
    });
    await expect(failing).rejects.toThrow('no observer');
    expect(existsSync(out)).toBe(false);
  });

  it('stops its processes before its observers close', async () => {
    const order: string[] = [];
    const { opened } = await open({}, {}, () => ({ close: async () => void order.push('close') }));
    opened.openings.addProcess(async () => void order.push('stop'));
    await opened.openings.close();
    expect(order).toEqual(['stop', 'close']);
  });
});
