// @gate 3 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnsweringServer,
  type AnswerTo,
  chatAnswer,
  oneModelList,
  startAnswering,
} from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type SweepReport, sweepReportSchema } from './model/sweep.ts';
import { sweep } from './sweep.ts';
import type { SweepRequest } from './sweep-points.ts';

/** Whole sweeps in this process, each of a few requests, against a server that answers at once. */

let folder: string;
let server: AnsweringServer;
let origin: string;
/** What was sent to each path, in order. */
const sent = new Map<string, string[]>();

/** The path of a target says what it does: `/moves` has another address once it was sent a load. */
const answerTo: AnswerTo = ({ url, text }) => {
  if (url === '/moves/models' && sent.has('/moves/chat/completions')) return [404, '{}'];
  if (text === '') return [200, oneModelList];
  if (text.includes('"x"')) return [404, '{"error":{"message":"no such model"}}'];
  return url.startsWith('/refuses') ? [403, '{"error":{"message":"not you"}}'] : [200, chatAnswer];
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-sweep-'));
  server = await startAnswering((request) => {
    const answer = answerTo(request);
    sent.set(request.url, [...(sent.get(request.url) ?? []), request.text]);
    return answer;
  });
  ({ origin } = server);
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const scenario = {
  name: 'swept',
  seed: 4,
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
  load: { kind: 'constant', rate: '100/s', duration: '40ms' },
  limits: 'none',
  canary: false,
  warmUp: '0s',
};

const start = (path: string, given: Partial<SweepRequest> = {}, changes: object = {}) => {
  const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
  const out = join(folder, `${path}-${given.repetitions ?? 1}`);
  const value = { ...scenario, ...changes };
  const request: SweepRequest = {
    source: { scenario: undefined, value, flags: {}, set: [], target: `${origin}/${path}` },
    vary: ['load.rate=100/s,200/s'],
    repetitions: 1,
    pause: undefined,
    answerTime: undefined,
    throughput: undefined,
    latency: undefined,
    yes: true,
    out,
    ...given,
  };
  return { ...fake, out, exit: sweep(request, fake.host) };
};

const reportIn = async (out: string): Promise<SweepReport> =>
  sweepReportSchema.parse(JSON.parse(await readFile(join(out, 'sweep.json'), 'utf8')));

describe.concurrent('a sweep', () => {
  it('makes each run of each point in its order and folder, and writes what it found', async () => {
    const { exit, out, said, printed, warned, listed } = start('fine', { pause: '1ms' });
    await exit;
    const report = await reportIn(out);
    expect(report).toMatchObject({
      format: 'sweep/1',
      name: 'swept',
      target: `${origin}/fine`,
      seed: 4,
      repetitions: 1,
      objectives: [],
      partial: null,
    });
    expect(report.points.map(({ values }) => values)).toEqual([['100/s'], ['200/s']]);
    expect(report.points.map(({ runs }) => runs.map((run) => run.folder))).toEqual([
      ['runs/01-1'],
      ['runs/02-1'],
    ]);
    const orders = report.points.flatMap(({ runs }) => runs.map(({ order }) => order));
    expect(orders.toSorted((a, b) => a - b)).toEqual([1, 2]);
    for (const { values, runs } of report.points)
      for (const run of runs) {
        const stored = JSON.parse(await readFile(join(out, run.folder, 'result.json'), 'utf8'));
        expect(stored.plan.name).toBe(`swept: load.rate=${values[0]}`);
        expect(stored.runId).toMatch(new RegExp(`-${run.order}$`));
        expect(said).toContain(`Run ${run.order} of 2: load.rate=${values[0]}`);
      }
    // Between two runs there is one pause.
    expect(said.filter((line) => line.startsWith('Pausing'))).toEqual([
      'Pausing 1 ms, so that the limits recover.',
    ]);
    expect(warned).toEqual([]);
    expect(JSON.parse(printed[0]!.json!)).toEqual(report);
    expect(listed.join('\n')).toContain(join(out, 'sweep.html'));
    expect(sent.get('/fine/chat/completions')).toHaveLength(4 + 8);
  });

  it('ends after a first run whose requests were all refused, and says so', async () => {
    const { exit, out, said } = start('refuses', {}, { load: { ...scenario.load, rate: '300/s' } });
    expect(await exit).toBe('incomplete');
    const { partial, points } = await reportIn(out);
    expect(partial).toMatch(/^The target refused every request: \d+ × 403 \(“not you”\): may this/);
    expect(points.map(({ verdict }) => verdict).toSorted()).toEqual(['excluded', 'missing']);
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(1);
  });

  it('ends after two runs in a row that could not begin, and keeps why', async () => {
    const { exit, out, warned, said } = start('moves', { repetitions: 2 });
    expect(await exit).toBe('incomplete');
    const { partial, points } = await reportIn(out);
    expect(partial).toBe('two runs in a row could not be made');
    expect(points.flatMap(({ runs }) => runs)).toHaveLength(1);
    expect(said.join('\n')).not.toContain('Pausing');
    expect(warned).toHaveLength(2);
    for (const line of warned)
      expect(line).toMatch(
        /^This run could not be made: .* answers as a gateway does: write .*\/moves\/v1\./,
      );
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(3);
  });

  it('whose first run cannot begin has nothing to report', async () => {
    const { exit, said } = start(
      'unknown',
      {},
      { traffic: [{ ...scenario.traffic[0], model: 'x' }] },
    );
    await expect(exit).rejects.toThrow('does not know the model x');
    expect(said.at(-1)).not.toContain('report');
  });

  it('that is stopped while it pauses keeps its runs, and has the exit of the stop', async () => {
    const started = start('stopped', { pause: '20s' });
    const { host, stop, exit, out, said } = started;
    const { say } = host.printer;
    Object.assign(host.printer, {
      say: (text: string) => {
        say(text);
        if (text.startsWith('Pausing')) setImmediate(() => stop('SIGTERM'));
      },
    });
    expect(await exit).toBe('terminated');
    const { partial, points } = await reportIn(out);
    expect(partial).toBe('stopped before its last run');
    expect(points.flatMap(({ runs }) => runs)).toHaveLength(1);
    expect(said).toContain('Pausing 20 s, so that the limits recover.');
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(1);
  });

  it.each([
    [{ throughput: 'ttft.p50' }, '--throughput: expected completedRate, outputTokenRate or '],
    [{ latency: 'completedRate' }, '--latency: expected a percentile of a measure of which less'],
    [{ latency: 'tokenRate.p50' }, '--latency: expected a percentile of a measure of which less'],
  ])('with the axis %j is refused', async (given, message) => {
    await expect(start('fine', given).exit).rejects.toThrow(message);
  });

  it('without a yes sends nothing', async () => {
    await expect(start('unasked', { yes: false }).exit).rejects.toThrow('needs a confirmation');
    expect(sent.has('/unasked/models')).toBe(false);
  });

  it('compares points over the same time only', async () => {
    const decided = { objectives: ['errorRate < 5%'], until: 'decided', atMost: '1m' };
    await expect(start('fine', {}, decided).exit).rejects.toThrow(
      'until: decided: the points of a sweep are compared over the same time',
    );
  });
});
