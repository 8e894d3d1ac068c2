import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { resultIn } from '../../acceptance/harness/run-files.fixture.ts';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { installedPython, roomFile } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { outputOf } from '../harness/program-output.ts';

const schemaFile = fileURLToPath(new URL('../../../reports/result.schema.json', import.meta.url));

const scenario = {
  name: 'schema',
  target: 'mock',
  traffic: [
    { kind: 'chat-stream', name: 'short', model: 'weir/small', weight: 3, maxTokens: 20 },
    { kind: 'models', weight: 1 },
  ],
  load: { kind: 'poisson', rate: '30/s', duration: '3s' },
  warmUp: '0s',
  objectives: ['ttft.p50 < 10s', 'errorRate < 1%'],
  mock: { ttft: '30ms', gap: '5ms' },
};

it('the summary of a real run is valid by the published schema, says a validator in Python, and a wrong one is not', async (context) => {
  const packages = await orSkip(context, () =>
    installedPython('json-schema', 'tables/json-schema.txt'),
  );
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-schema-'));
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at('s.yaml'), JSON.stringify(scenario));
  const environment = { ...process.env, WEIR_HISTORY: 'off', GITHUB_STEP_SUMMARY: '' };
  await runProgram([...weirCommand, 'run', at('s.yaml'), '--out', at('r'), '--quiet'], environment);
  const problemsIn = async (file: string): Promise<string> => {
    const words = [roomFile('tables/validate_results.py'), schemaFile, file];
    const { stdout } = await outputOf('python3', words, {
      cwd: folder.path,
      env: { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
    });
    return stdout;
  };
  expect(await problemsIn(at('r/result.json'))).toBe('');
  const result = await resultIn(at('r'));
  const { summary } = result;
  expect(Object.keys(summary!.kinds)).toEqual(['chat-stream', 'models']);
  expect(result.requestSample!.length).toBeGreaterThan(1);
  const wrong = {
    'a percentile as text': { kinds: { 'chat-stream': { ttft: { p95: '12' } } } },
    'another verdict': { verdict: 'fine' },
    'an unknown field': { latency: 12 },
  };
  for (const [name, part] of Object.entries(wrong)) {
    await writeFile(
      at('wrong.json'),
      JSON.stringify({ ...result, summary: { ...summary, ...part } }),
    );
    expect(await problemsIn(at('wrong.json')), name).toContain('wrong.json: $');
  }
}, 600_000);
