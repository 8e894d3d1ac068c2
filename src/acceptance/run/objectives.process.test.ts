import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { type Result, resultSchema } from '../../model/result/result.ts';
import { readObservation } from '../../record/observation-lines.ts';
import {
  type FinishedProgram,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weir,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (
  objectives: string,
  more = 'load: { kind: constant, rate: 40/s, duration: 1s }',
) =>
  `traffic:
  - { kind: chat-stream, model: weir/small, prompt: Say yes., maxTokens: 4 }
${more}
grace: 5s
mock: { ttft: 20ms, gap: 2ms }
${objectives}
`;

interface Ran extends FinishedProgram {
  readonly out: string;
  readonly result: Result;
}

const ran = async (
  text: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> => {
  const out = await tempFolder();
  const path = await tempFile('gate.yaml', text);
  const ended = await weir(['run', path, '--out', out, ...words], environment);
  const result = resultSchema.parse(JSON.parse(await readFile(join(out, 'result.json'), 'utf8')));
  return { ...ended, out, result };
};

/** What a run must exit with: a busy machine makes the generator unfit, which outranks any objective. */
const unlessGeneratorInvalid = ({ result }: Ran, code: number): number =>
  judgeTrust(result).level === 'invalid' ? 12 : code;

const grounds = ({ result }: Ran): (string | undefined)[] | undefined =>
  judgeTrust(result).level === 'invalid' ? undefined : result.verdicts?.map((each) => each.grounds);

describe('a run with objectives', () => {
  it('exits 0 when it keeps them all', async () => {
    const run = await ran(scenario('objectives: [ttft.p50 < 5s, errorRate < 1%, completed >= 40]'));
    expect(run.code).toBe(unlessGeneratorInvalid(run, 0));
    expect(grounds(run) ?? ['kept', 'kept', 'kept']).toEqual(['kept', 'kept', 'kept']);
  });

  it('exits 10 when one is broken, or has too few samples or none; a warning is only told', async () => {
    const broken = await ran(scenario('objectives: [errorRate < 1%, ttft.p50 < 1ms]'));
    expect(broken.code).toBe(unlessGeneratorInvalid(broken, 10));
    const few = await ran(scenario('objectives: [ttft.p95 < 10s]'));
    expect(few.code).toBe(unlessGeneratorInvalid(few, 10));
    expect(grounds(few) ?? ['no-data']).toEqual(['no-data']);
    // A single token has no time per output token.
    const one = scenario('objectives: [tpot.max < 10s]').replace('maxTokens: 4', 'maxTokens: 1');
    const none = await ran(one);
    expect(none.result.verdicts).toMatchObject([{ n: 0, observed: null }]);
    expect(none.code).toBe(unlessGeneratorInvalid(none, 10));
    const warned = await ran(
      scenario('objectives: [{ objective: ttft.p50 < 1ms, severity: warn }]'),
    );
    expect(warned.code).toBe(unlessGeneratorInvalid(warned, 0));
  });

  it('exits 12 when everything failed, whatever the objectives are', async () => {
    const mock = await startMock({}, realClock());
    try {
      for (const objectives of ['', 'objectives: [errorRate < 1%]', 'objectives: [refused > 1]']) {
        const { code } = await ran(scenario(objectives), ['--target', mock.url], {
          WEIR_API_KEY: 'sk-wrong-key',
        });
        expect(code).toBe(12);
      }
    } finally {
      await mock.close();
    }
  });

  it('does not begin with a misspelt measure: exit 2, its place, and not one request', async () => {
    const mock = await startMock({}, realClock());
    try {
      const out = join(await tempFolder(), 'out');
      const path = await tempFile('gate.yaml', scenario('objectives: [tfft.p95 < 800ms]'));
      const words = ['run', path, '--target', mock.url, '--out', out];
      const { code, stderr } = await weir(words, { WEIR_API_KEY: 'sk-weir-test' });
      expect(code).toBe(2);
      expect(stderr).toContain(
        'gate.yaml:6:14: "tfft" is neither a measure nor a figure of the run',
      );
      expect(stderr).toContain('did you mean "ttft"?');
      const counters = await (await fetch(`${mock.controlUrl}/counters`)).json();
      const counted = z.record(z.string(), z.number()).parse(counters);
      expect(Object.values(counted).reduce((sum, n) => sum + n, 0)).toBe(0);
      await expect(readdir(out)).rejects.toThrow('ENOENT');
    } finally {
      await mock.close();
    }
  });

  it('ends early when one is broken that may end it', async () => {
    const load =
      'load: { kind: constant, rate: 20/s, duration: 60s }\nlimits: { requestsPerMinute: 15 }';
    const run = await ran(
      scenario('objectives: [{ objective: limitedRate < 10%, abort: { after: 1s } }]', load),
    );
    expect(run.code).toBe(unlessGeneratorInvalid(run, 10));
    expect(run.result.scheduled).toBeLessThan(20_000);
    expect(run.result.breach).toMatchObject({ text: 'limitedRate < 10%' });
    expect(run.result.partial).toContain('since the objective limitedRate < 10% was broken');
    expect(run.stderr).toContain('ending: the objective limitedRate < 10% is broken');
  });

  it('has a goodput over all arrivals, the same that its observations give', async () => {
    const observations = join(await tempFolder(), 'all.jsonl');
    const text = scenario(
      'perRequest: [ttft < 22ms, e2e < 60s]\nobjectives: [goodput >= 0%]\nlimits: { requestsPerMinute: 30 }',
    );
    const { result } = await ran(text, ['--observations', observations]);
    const [, ...lines] = (await readFile(observations, 'utf8')).trim().split('\n');
    const good = lines.filter((line) => {
      const read = readObservation(line);
      if (!read.ok) throw new Error(read.message);
      const { outcome, due } = read.value;
      if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream') return false;
      return (outcome.answer.firstToken ?? Infinity) - due < 22;
    }).length;
    expect(result.groups.reduce((sum, group) => sum + (group.good?.all ?? 0), 0)).toBe(good);
    expect(result.verdicts).toMatchObject([{ observed: (good / 40) * 100, n: 40 }]);
  });
});

describe('reports on demand', () => {
  it('are written where they are wanted, by a run and again from its result', async () => {
    const folder = await tempFolder();
    const files = ['junit.xml', 'figures.csv', 'summary.md'].map((name) => join(folder, name));
    const [junit = '', csv = '', summary = ''] = files;
    const words = ['--junit', junit, '--csv', csv, '--summary', summary];
    const page = await tempFile('page.md', 'an earlier step\n');
    const text = scenario('objectives: [ttft.p95 < 10s, errorRate < 1%]');
    const run = await ran(text, words, { GITHUB_STEP_SUMMARY: page });
    const written = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(written[0]).toContain('<testcase classname="objectives" name="ttft.p95 &lt; 10s"');
    expect(written[1]).toMatch(/^traffic,model,key,stage,figure.*\r\n,,,,due,count,40,/);
    expect(written[2]).toMatch(/^## .* Weir: gate\n\n\*\*/);
    expect(await readFile(page, 'utf8')).toBe(`an earlier step\n${written[2]}`);
    const again = await weir(['report', join(run.out, 'result.json'), ...words, '--json', '-']);
    expect(again.code).toBe(run.code);
    expect(resultSchema.parse(JSON.parse(again.stdout))).toEqual(run.result);
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(written);
  });

  it('cannot be written: said before the load, and nothing is left behind', async () => {
    const folder = await tempFolder();
    const out = join(folder, 'out');
    const junit = join(folder, 'no', 'junit.xml');
    const path = await tempFile('gate.yaml', scenario(''));
    const words = ['run', path, '--out', out, '--csv', join(folder, 'f.csv'), '--junit', junit];
    const { code, stderr } = await weir(words);
    expect(code).toBe(2);
    expect(stderr).toContain(`${junit} cannot be written`);
    expect(await readdir(folder)).toEqual([]);
  });
});
