import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cleanUpAfterEach, startGateway } from '../harness/weir-process.fixture.ts';
import { action, emptyRepository, type FinishedJob, runJob } from './action-job.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 180_000 });

const scenarioOf = (load: string): string => `name: gate
traffic: [{ kind: chat, model: weir/small, prompt: Say yes., maxTokens: 4 }]
load: { kind: constant, ${load} }
limits: none
objectives:
  - errorRate < 1%
`;
/** Long enough that a run shows how much its figures vary, which a comparison needs. */
const scenario = scenarioOf('rate: 5/s, duration: 12s');
/** As many requests in less time, where nothing is compared. */
const shortScenario = scenarioOf('rate: 10/s, duration: 6s');

const gateway = (ttft: string) =>
  startGateway(['--ttft', ttft, '--gap', '2ms', '--requests-per-minute', 'none']);

const repositoryWith = async (text: string) => {
  const repository = await emptyRepository();
  await writeFile(join(repository.workspace, 'gate.yaml'), text);
  return repository;
};

/** A machine too busy for a load test ends runs with 12: those prove nothing about gates. */
const isMeasured = ({ outputs }: FinishedJob): boolean => outputs['verdict'] !== 'invalid';

const annotationsIn = ({ log }: FinishedJob): readonly string[] =>
  log.split('\n').filter((line) => line.startsWith('::'));

describe('the action', () => {
  it('never lets a shell read an input, and pins what it uses by digest', () => {
    const { steps } = action.runs;
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
  });

  it('is green without a regression, and red with one: page and annotations say why', async (context) => {
    const [quick, slow] = [await gateway('200ms'), await gateway('600ms')];
    const repository = await repositoryWith(scenario);
    const inputs = { scenario: 'gate.yaml', baseline: 'main' };

    const first = await runJob(
      repository,
      { ...inputs, target: quick.url },
      { branch: 'main', number: 1 },
    );
    if (!isMeasured(first)) context.skip(first.page);
    expect(first).toMatchObject({ ok: true, outputs: { verdict: 'pass', 'exit-code': '0' } });
    expect(first.page).toContain('### Weir: pass');
    expect(first.page).toContain('There was no baseline to compare with.');
    expect(first.artifact).toEqual(expect.arrayContaining(['report.html', 'result.json']));
    expect(annotationsIn(first)).toEqual([]);
    expect(repository.cache.size).toBe(1);

    const same = await runJob(
      repository,
      { ...inputs, target: quick.url },
      { branch: 'topic', number: 2 },
    );
    if (!isMeasured(same)) context.skip(same.page);
    expect(same).toMatchObject({ ok: true, outputs: { verdict: 'pass', 'exit-code': '0' } });
    expect(annotationsIn(same)).toEqual([]);
    // Only the default branch moves its baseline.
    expect(repository.cache.size).toBe(1);

    const worse = await runJob(
      repository,
      { ...inputs, target: slow.url },
      { branch: 'topic', number: 3 },
    );
    if (!isMeasured(worse)) context.skip(worse.page);
    expect(worse).toMatchObject({ ok: false, outputs: { verdict: 'fail', 'exit-code': '11' } });
    expect(annotationsIn(worse)).toContainEqual(
      expect.stringMatching(
        /^::error file=gate\.yaml,line=1,title=Regression::chat.*: 6\d\d ms, after 2\d\d ms in the baseline$/,
      ),
    );
    expect(worse.page).toMatch(/regression/i);
    expect(worse.page).toContain('### Weir: fail (exit 11)');
    expect(worse.artifact).toEqual(expect.arrayContaining(['comparison.html', 'comparison.json']));
  });

  it('is red if an objective is broken, with its line in the scenario', async (context) => {
    const { url } = await gateway('600ms');
    const repository = await repositoryWith(`${shortScenario}  - e2e.p50 < 100ms\n`);
    const broken = await runJob(
      repository,
      { scenario: 'gate.yaml', target: url },
      { branch: 'main', number: 1 },
    );
    if (!isMeasured(broken)) context.skip(broken.page);
    expect(broken).toMatchObject({ ok: false, outputs: { verdict: 'fail', 'exit-code': '10' } });
    expect(annotationsIn(broken)).toEqual([
      expect.stringMatching(
        /^::error file=gate\.yaml,line=7,title=Objective broken::e2e\.p50 < 100ms: 6\d\d ms, n 60$/,
      ),
    ]);
    expect(broken.page).toContain('- **Objective broken**: e2e.p50 < 100ms');
    expect(broken.artifact).toContain('report.html');

    const kept = await runJob(
      repository,
      { scenario: 'gate.yaml', target: url, threshold: 'e2e.p50 < 2s\nerrorRate < 1%' },
      { branch: 'main', number: 2 },
    );
    if (!isMeasured(kept)) context.skip(kept.page);
    expect(kept).toMatchObject({ ok: true, outputs: { verdict: 'pass' } });
  });

  it('says what is wrong with its inputs, of which none is run', async () => {
    const repository = await repositoryWith(shortScenario);
    const hostile = '$(touch pwned)"; touch pwned; `touch pwned`\n--details\n';
    for (const name of ['target', 'threshold', 'arguments', 'baseline']) {
      const job = await runJob(
        repository,
        { scenario: 'gate.yaml', target: 'mock', [name]: hostile },
        { branch: 'topic', number: 1 },
      );
      if (name === 'baseline') continue;
      expect(job, name).toMatchObject({
        ok: false,
        outputs: { verdict: 'error', 'exit-code': '2' },
      });
      expect(annotationsIn(job)).toEqual([
        expect.stringContaining('::error file=gate.yaml,line=1,title=Weir ended with 2::'),
      ]);
      expect(job.page).toContain('### Weir: error (exit 2)');
    }
    expect(await readdir(repository.workspace)).not.toContain('pwned');
  });
});
