import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  check,
  coordinate,
  defineScenario,
  judge,
  readResult,
  run,
  WeirError,
  work,
} from './library.ts';

/**
 * Each function of the library with good and bad input, in this process, against a server that lists one model. The
 * runs are as short as runs can be.
 */

const home = mkdtempSync(join(tmpdir(), 'weir-calls-'));
let server: Server;
let target: string;
/** What happens when a request comes. */
let onRequest: () => void;
beforeAll(async () => {
  server = createServer((_, response) => {
    onRequest();
    response.setHeader('content-type', 'application/json');
    response.end('{"object":"list","data":[{"id":"m"}]}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => {
  onRequest = () => undefined;
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => {
  server.close();
  rmSync(home, { recursive: true });
});

const environment = { WEIR_API_KEY: 'sk-of-this-test', WEIR_HISTORY: 'off' };
const load = { kind: 'constant', rate: '50/s', duration: '100ms' } as const;
const objectives = ['errorRate < 1%', 'sent < 2'];
const scenario = defineScenario({
  name: 'called',
  traffic: [{ kind: 'models' }],
  load,
  objectives,
  canary: false,
});
const options = () => ({ environment, target });

const pathOf = (name: string, more: object = {}): string => {
  const path = join(home, name);
  writeFileSync(path, JSON.stringify({ ...scenario, ...more }));
  return path;
};

describe('run', () => {
  it('lets a scenario name files outside its folder only if it is allowed to', async () => {
    mkdirSync(join(home, 'inside'));
    writeFileSync(join(home, 'texts.txt'), 'one\n');
    const speech = { kind: 'speech', model: 'm', voice: 'v', text: { file: '../texts.txt' } };
    const path = pathOf(join('inside', 's.json'), { traffic: [speech] });
    const set = ['budget.requests=3'];
    const refused = run(path, { ...options(), set });
    await expect(refused).rejects.toThrow('texts.txt is outside the scenario’s folder');
    // Once the file may be read, the plan does not fit its budget.
    const allowed = run(path, { ...options(), set, allowFiles: true });
    await expect(allowed).rejects.toMatchObject({ name: 'WeirError', code: 'budget' });
  });

  it('sends nothing if its signal is aborted already', async () => {
    let requests = 0;
    onRequest = () => {
      requests += 1;
    };
    const reason = new Error('not now');
    const signal = AbortSignal.abort(reason);
    await expect(run(scenario, { ...options(), signal })).rejects.toBe(reason);
    expect(requests).toBe(0);
  });

  it('reports its progress once a second, and ends with the error that the listener throws', async () => {
    // The process seems to be suspended for a second by each request, the first of which comes before the load.
    let suspended = 0;
    onRequest = () => {
      suspended += 1000;
    };
    const ownNow = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => ownNow() + suspended);
    const updates: unknown[] = [];
    const reason = new Error('enough');
    const onProgress = (progress: unknown): void => {
      updates.push(progress);
      throw reason;
    };
    const set = ['load.duration=20s', 'load.rate=6/min'];
    const failed = run(pathOf('s.json'), { ...options(), set, onProgress });
    await expect(failed).rejects.toBe(reason);
    expect(updates).toMatchObject([{ scheduled: 20_000 }]);
  });

  it('says where the data is if its files cannot be written, and that is read and judged', async () => {
    const out = join(home, 'out');
    onRequest = () => {
      mkdirSync(join(out, 'result.json', 'in-the-way'), { recursive: true });
    };
    const failed = await run(scenario, { ...options(), out }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(WeirError);
    const { message } = failed as WeirError;
    expect(message).toContain('Result: not written: ');
    const [, kept = ''] = /its data is in (.*)\.$/m.exec(message) ?? [];
    const [ofFile, ofFolder] = [await readResult(kept), await readResult(join(kept, '..'))];
    expect(ofFolder).toEqual(ofFile);
    expect([ofFile.result.plan.name, ofFile.summary.counts.sent]).toEqual(['called', 5]);
    expect(readFileSync(kept, 'utf8')).not.toContain('sk-of-this-test');
    const own = await judge(ofFile);
    expect(own).toEqual(ofFile.verdicts);
    expect(own.objectives.map(({ objective }) => objective)).toEqual(objectives);
    const other = await judge(ofFile, { objectives: ['sent >= 5'] });
    expect(other.objectives).toMatchObject([{ objective: 'sent >= 5', observed: 5 }]);
    expect((await judge(ofFile, { objectives: [] })).objectives).toEqual([]);
    await expect(judge(ofFile, { objectives: ['sent'] })).rejects.toThrow(WeirError);
    rmSync(join(kept, '..'), { recursive: true });
  });
});

describe('a stored result', () => {
  it('that is none is an error of the library', async () => {
    writeFileSync(join(home, 'bad.json'), '{}');
    await expect(readResult(join(home, 'bad.json'))).rejects.toThrow(WeirError);
    await expect(readResult(join(home, 'missing'))).rejects.toMatchObject({
      name: 'WeirError',
      message: expect.stringContaining('does not exist'),
    });
  });
});

describe('the other functions', () => {
  const reason = new Error('not now');
  const signal = AbortSignal.abort(reason);
  const rendezvous = `file://${join(home, 'shared')}`;

  it('begin nothing if their signal is aborted already', async () => {
    await expect(check(target, { environment, signal })).rejects.toBe(reason);
    await expect(work({ rendezvous, signal })).rejects.toBe(reason);
    await expect(coordinate(scenario, { rendezvous, slices: 2, signal })).rejects.toBe(reason);
  });

  it.each([
    [{ slices: 0 }, 'slices: expected a whole number from 1 on, got 0'],
    [{ slices: 1.5 }, 'slices: expected a whole number from 1 on, got 1.5'],
    [{ slices: 2, silence: 1999 }, 'silence: expected at least 2000 ms, got 1999'],
    [{ slices: 2, silence: Number.NaN }, 'silence: expected at least 2000 ms, got NaN'],
  ])('refuse numbers that are none: %j', async (numbers, message) => {
    const refused = coordinate(scenario, { ...options(), rendezvous, ...numbers });
    await expect(refused).rejects.toMatchObject({ name: 'WeirError', message });
  });
});
