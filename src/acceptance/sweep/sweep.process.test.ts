import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepReportSchema } from '../../verbs/sweep/model/sweep.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  startWeir,
  tempFile,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (changes: object = {}): string =>
  JSON.stringify({
    name: 'evening',
    traffic: [{ kind: 'chat', model: 'weir/small', prompt: { tokens: 10 }, maxTokens: 5 }],
    load: { kind: 'closed', users: 1, duration: '2s' },
    limits: 'none',
    mock: {
      limits: { requestsPerMinute: 'none', tokensPerMinute: 'none' },
      outputTokens: { min: 5, max: 5 },
    },
    ...changes,
  });

const reportIn = async (folder: string) =>
  sweepReportSchema.parse(JSON.parse(await readFile(join(folder, 'sweep.json'), 'utf8')));

describe('weir sweep', () => {
  it('makes a run for each point and repetition, and leaves one page, its data, and the report of each run', async () => {
    const file = await tempFile('s.yaml', scenario({ vary: { 'load.users': [1, 3] } }));
    const out = await tempFolder();
    const vary = ['--vary', 'prompt.tokens=10,40', '--repeat', '2'];
    const { code, stdout, stderr } = await weir(['sweep', file, ...vary, '--yes', '--out', out]);
    // 12 where the machine is too busy to measure: the points are there all the same.
    expect([0, 12], stderr).toContain(code);
    const { points, variables, repetitions } = await reportIn(out);
    expect(variables.map(({ path }) => path)).toEqual(['load.users', 'prompt.tokens']);
    expect(points.map(({ values }) => values)).toEqual([
      ['1', '10'],
      ['1', '40'],
      ['3', '10'],
      ['3', '40'],
    ]);
    expect(repetitions).toBe(2);
    const runs = points.flatMap((point) => point.runs);
    expect(runs.map(({ order }) => order).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    for (const { folder } of runs) {
      expect(existsSync(join(out, folder, 'report.html')), folder).toBe(true);
      const { plan } = JSON.parse(await readFile(join(out, folder, 'result.json'), 'utf8'));
      const [, point] = /(\d+)-\d+$/.exec(folder)!;
      expect(plan.stages[0].load.users).toBe(Number(point) <= 2 ? 1 : 3);
    }
    expect(await readFile(join(out, 'sweep.html'), 'utf8')).toContain('Heat maps');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(stderr).toMatch(/Sweep: 2 × 2 = 4 points, 2 runs each, in random order \(seed 1\)/);
    expect(stderr).toMatch(/Budget: about [\d,]+ requests, if an answer takes 1 s; tokens: /);
  });

  it('sends nothing without --yes, and shows what it would', async () => {
    const file = await tempFile('s.yaml', scenario());
    const { code, stderr } = await weir(['sweep', file, '--vary', 'load.users=1..4*2']);
    expect(code).toBe(2);
    expect(stderr).toContain('load.users  1, 2, 4');
    expect(stderr).toContain('add --yes');
  });

  it('announces as many requests as its runs send, though each run draws its own arrivals', async () => {
    const load = { kind: 'poisson', rate: '4/s', duration: '2s' };
    const file = await tempFile('s.yaml', scenario({ load }));
    const out = await tempFolder();
    const vary = ['--vary', 'prompt.tokens=10,20', '--repeat', '2'];
    const { stderr } = await weir(['sweep', file, ...vary, '--yes', '--out', out]);
    const { points } = await reportIn(out);
    const sent = await Promise.all(
      points
        .flatMap(({ runs }) => runs)
        .map(async ({ folder }) => {
          const text = await readFile(join(out, folder, 'result.json'), 'utf8');
          return JSON.parse(text).groups.reduce(
            (sum: number, group: { sent: number }) => sum + group.sent,
            0,
          );
        }),
    );
    const total = sent.reduce((sum, each) => sum + each, 0);
    expect(stderr).toContain(`Budget: ${total} requests; `);
  });

  it.each([
    ['load.usrs=1,2', 'did you mean "users"?'],
    ['promt.tokens=1', 'did you mean "prompt"?'],
    ['load.users=1,x', 'expected a whole number'],
  ])('says before any request what is wrong with --vary %s', async (vary, message) => {
    const file = await tempFile('s.yaml', scenario());
    const { code, stderr } = await weir(['sweep', file, '--vary', vary, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('Budget');
  });

  it('keeps a point in which every request fails, never on the front', async () => {
    const file = await tempFile('s.yaml', scenario());
    const out = await tempFolder();
    const faults = ['--vary', 'mock.faults=[],[{fault: status-503, probability: 1}]'];
    const { code, stderr } = await weir(['sweep', file, ...faults, '--yes', '--out', out]);
    expect(code, stderr).toBe(12);
    const { points } = await reportIn(out);
    expect(points[1]).toMatchObject({
      verdict: 'excluded',
      reasons: [expect.stringMatching(/nothing succeeded|load not as planned/)],
      isOnFront: false,
    });
    expect(await readFile(join(out, 'sweep.html'), 'utf8')).toContain('excluded');
  });

  it('leaves a report of what was done when it is stopped', async () => {
    const file = await tempFile('s.yaml', scenario());
    const out = await tempFolder();
    const vary = ['--vary', 'load.users=1,2,3', '--set', 'load.duration=3s'];
    const started = startWeir(['sweep', file, ...vary, '--yes', '--out', out]);
    await started.waitForOutput('Run 2 of 3');
    started.child.kill('SIGINT');
    const { code, stderr } = await started.ended;
    expect(code, stderr).toBe(130);
    const { points, partial } = await reportIn(out);
    expect(partial).toBe('stopped before its last run');
    expect(points.filter(({ runs }) => runs.length > 0).length).toBeGreaterThanOrEqual(1);
    expect(points.map(({ verdict }) => verdict)).toContain('missing');
    expect(existsSync(join(out, 'sweep.html'))).toBe(true);
  });
});
