import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { type SweepReport, sweepReportSchema } from '../../verbs/sweep/model/sweep.ts';
import { sweep } from '../../verbs/sweep/sweep.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import {
  gatewayForFile,
  inFolder,
  quickScenario,
  quickFile,
  withKey,
} from './quick-scenario.fixture.ts';
import { agreedSweep } from '../../verbs/sweep/started-sweep.fixture.ts';

cleanUpAfterEach();
const gateway = gatewayForFile();

const reportIn = async (folder: string): Promise<SweepReport> =>
  sweepReportSchema.parse(JSON.parse(await readFile(inFolder(folder)('sweep.json'), 'utf8')));

const request = (out: string, changes: object, more: object = {}) => ({
  source: {
    scenario: undefined,
    value: JSON.parse(quickScenario(changes)),
    flags: {},
    set: [],
    target: gateway.url(),
  },
  vary: ['prompt.tokens=10,40'],
  ...agreedSweep,
  out,
  ...more,
});

describe('a sweep', () => {
  it('runs each point as often as asked, in an order of chance, and reports what each run sent', async () => {
    const out = await tempFolder();
    const words = [
      '--vary',
      'prompt.tokens=10,40',
      '--vary',
      'load.rate=20/s,40/s',
      '--pause',
      '20ms',
    ];
    const { code, stdout, stderr } = await gateway.weir(
      'sweep',
      await quickFile({
        load: { kind: 'constant', rate: '20/s', duration: '200ms' },
        objectives: ['errorRate < 50%'],
      }),
      '--target',
      gateway.url(),
      ...words,
      '--yes',
      '--out',
      out,
    );
    expect([0, 12, 10], stderr).toContain(code);
    const report = await reportIn(out);
    expect(report).toMatchObject({
      name: 'quick',
      target: gateway.url(),
      seed: 1,
      repetitions: 1,
      objectives: ['errorRate < 50%'],
      partial: null,
      variables: [
        { path: 'prompt.tokens', values: ['10', '40'], isLoad: false },
        { path: 'load.rate', values: ['20/s', '40/s'], isLoad: true },
      ],
    });
    expect(report.points.map(({ values }) => values.join())).toEqual([
      '10,20/s',
      '10,40/s',
      '40,20/s',
      '40,40/s',
    ]);
    const runs = report.points.map(({ runs: [run] }) => run!);
    expect(runs.map(({ folder }) => folder)).toEqual([
      'runs/01-1',
      'runs/02-1',
      'runs/03-1',
      'runs/04-1',
    ]);
    expect(new Set(runs.map(({ order }) => order))).toEqual(new Set([1, 2, 3, 4]));
    const results = await Promise.all(runs.map(({ folder }) => resultIn(inFolder(out)(folder))));
    expect(results.map(({ groups }) => sumOutcomes(groups).completed)).toEqual([4, 8, 4, 8]);
    expect(new Set(results.map(({ plan }) => plan.seed))).toEqual(new Set([2, 3, 4, 5]));
    expect(results.map(({ plan }) => plan.name)).toContain(
      'quick: prompt.tokens=10, load.rate=40/s',
    );
    const starts = runs.toSorted((a, b) => a.order - b.order).map(({ startedAt }) => startedAt);
    expect(starts).toEqual(starts.toSorted());
    expect((await readdir(out)).toSorted()).toEqual(['runs', 'sweep.html', 'sweep.json']);
    expect(await readFile(inFolder(out)('sweep.html'), 'utf8')).toContain('40/s');
    expect(stdout).toContain('prompt.tokens');
    expect(stderr).toContain('Sweep: 2 × 2 = 4 points, 1 run each, in random order (seed 1)');
    expect(stderr).toContain('Budget: 24 requests;');
    expect(stderr).toContain('Run 4 of 4: ');
    expect(stderr.match(/Pausing 20 ms, so that the limits recover\./g)).toHaveLength(3);
    expect(stderr.match(/Ctrl-C ends it early/g)).toHaveLength(4);
    expect(stderr).toContain(`Report: ${inFolder(out)('sweep.html')}`);
  });

  it('that is stopped in its second run keeps the first, and says what is missing', async () => {
    const out = await tempFolder();
    const { host, said, stop } = fakeHost(withKey);
    const lines = {
      ...host.printer,
      say: (text: string) => {
        said.push(text);
        if (text.startsWith('Run 2 of 2')) queueMicrotask(() => stop('SIGINT'));
      },
    };
    const exit = await sweep(request(out, {}), { ...host, printer: lines });
    expect(exit).toBe('interrupted');
    const { partial, points } = await reportIn(out);
    expect(partial).toBe('stopped before its last run');
    expect(points.map(({ verdict }) => verdict)).toContain('missing');
    expect(points.flatMap(({ runs }) => runs)).toHaveLength(1);
  });

  it('asks before it spends, and sends nothing where nobody agrees', async () => {
    const out = inFolder(await tempFolder())('none');
    for (const [answer, message] of [
      ['no', 'nothing was sent to the gateway'],
      [null, 'add --yes'],
    ] as const) {
      const { host } = fakeHost(withKey);
      const ask = answer === null ? null : () => Promise.resolve(answer);
      await expect(sweep(request(out, {}, { yes: false }), { ...host, ask })).rejects.toThrow(
        message,
      );
    }
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('that every point fails is not kept, and ends where the first run was refused throughout', async () => {
    const out = await tempFolder();
    const { host } = fakeHost(withKey);
    // A model that is listed, but does not chat.
    const traffic = [{ kind: 'chat', model: 'weir-tts', prompt: { tokens: 10 }, maxTokens: 5 }];
    const exit = await sweep(request(out, { traffic }), host);
    expect(['incomplete', 'invalid']).toContain(exit);
    const { partial, points } = await reportIn(out);
    expect(partial).toMatch(/^The target refused every request: 12 × 40/);
    expect(points.map(({ verdict }) => verdict).toSorted()).toEqual(['excluded', 'missing']);
    expect(points.map(({ isOnFront }) => isOnFront)).toEqual([false, false]);
  });

  it('that could not make two runs one after the other ends, and keeps why', async () => {
    const out = await tempFolder();
    const { host, warned } = fakeHost(withKey);
    let runs = 0;
    const environment = new Proxy<Record<string, string | undefined>>(
      { ...withKey },
      {
        get: (target, name: string) =>
          name === 'WEIR_API_KEY' && runs > 1 ? undefined : target[name],
      },
    );
    const printer = {
      ...host.printer,
      say: (text: string) => {
        if (text.startsWith('Run ')) runs += 1;
      },
    };
    const vary = ['prompt.tokens=10,20,30,40'];
    const exit = await sweep(request(out, {}, { vary }), { ...host, environment, printer });
    expect(exit).toBe('incomplete');
    const { partial, points } = await reportIn(out);
    expect(partial).toBe('two runs in a row could not be made');
    expect(points.flatMap((point) => point.runs)).toHaveLength(1);
    expect(points.flatMap(({ reasons }) => reasons).join()).toContain(
      'the environment variable WEIR_API_KEY is not set',
    );
    expect(warned.filter((line) => line.startsWith('This run could not be made: '))).toHaveLength(
      2,
    );
  });

  it.each([
    [
      { throughput: 'ttft.p95' },
      '--throughput: expected completedRate, outputTokenRate or inputTokenRate; got ttft.p95',
    ],
    [
      { latency: 'completedRate' },
      '--latency: expected a percentile of a measure of which less is better',
    ],
    [{ vary: [] }, 'a sweep needs a field to vary'],
    [{ pause: 'long' }, '--pause: expected a length of time'],
    [{ answerTime: 'x' }, '--answer-time: expected'],
  ])('refuses %j before anything is sent', async (more, message) => {
    const { host, said } = fakeHost(withKey);
    const out = inFolder(await tempFolder())('none');
    await expect(sweep(request(out, {}, more), host)).rejects.toThrow(message);
    expect(said).toEqual([]);
  });

  it('judges by the axes that were asked for', async () => {
    const out = await tempFolder();
    const { host, printed } = fakeHost(withKey);
    const axes = {
      throughput: 'outputTokenRate',
      latency: 'endToEnd.p50',
      vary: ['prompt.tokens=10'],
    };
    await sweep(request(out, {}, axes), host);
    const { throughput, latency } = await reportIn(out);
    expect([throughput.name, latency.name]).toEqual(['outputTokenRate', 'endToEnd.p50']);
    expect(printed).toHaveLength(1);
    expect(printed[0]!.closing!({ colour: false, width: 100 })).toMatch(/point/);
  });
});
