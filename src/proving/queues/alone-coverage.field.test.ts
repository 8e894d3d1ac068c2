// @full 160 s: two times four runs of a minute
// @alone: the server serves as fast as the formula says only where nothing else runs
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { processes } from '../../model/measures/processes.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { roomFile } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { freePort, startServer } from '../harness/server-process.ts';

vi.setConfig({ testTimeout: 600_000 });

const rate = 64;

/** The printed intervals of a run of a minute, of Poisson arrivals at a server with eight workers of exponential times. */
const intervalsOf = async (seed: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-queues-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const words = ['shared', String(port), join(folder, 'server.log'), 'exponential'];
  const server = await startServer({
    command: ['python3', roomFile('neighbours/queue_server.py'), ...words],
    port,
  });
  try {
    const file = join(folder, 'scenario.json');
    const scenario = {
      seed,
      target: `http://127.0.0.1:${port}/v1`,
      limits: 'none',
      warmUp: '5s',
      wire: { proxy: 'none' },
      traffic: [{ kind: 'chat-stream', model: 'proving/small', prompt: 'hi', maxTokens: 2 }],
      load: { kind: 'poisson', rate: `${rate}/s`, duration: '65s' },
    };
    await writeFile(file, JSON.stringify(scenario));
    const command = ['run', file, '--out', folder, '--no-history', '--quiet'];
    const environment = { ...process.env, WEIR_API_KEY: 'sk-queue' };
    const { code, stderrTail } = await runProgram([...weirCommand, ...command], environment);
    expect(code, stderrTail).toBe(0);
    const { summary } = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as Result;
    return summary!.kinds['chat-stream']!.ttft!.intervals;
  } finally {
    await server.stop();
  }
};

/** Eight runs, four at a time: an interval of 95 % misses in two or more of eight by chance in 6 % of tries, in three in 0.6 %. */
it('intervals of p50 and p95 hold the formula’s values in at least six of eight runs at an M/M/8 queue', async (context) => {
  const truth = (q: number): number => processes['M/M/8 at 0.8']!.truth(q, rate);
  const runs = await orSkip(context, async () => {
    const found = [];
    for (const seeds of [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]) {
      found.push(...(await Promise.all(seeds.map(intervalsOf))));
    }
    return found;
  });
  for (const [name, q] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    const held = runs.filter((intervals) => {
      const { low, high } = intervals[name]!;
      // A figure without a bound, of a run that was too late or too short, holds nothing.
      return low !== null && high !== null && low <= truth(q) && truth(q) <= high;
    });
    expect(held.length, name).toBeGreaterThanOrEqual(6);
  }
});
