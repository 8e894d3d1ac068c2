// @long 101 s
// @alone: its figures need a machine on which nothing else runs
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { comparisonSchema } from '../../verbs/compare/model/comparison.ts';
import { milliseconds } from '../../model/quantity.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import {
  type FinishedProgram,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

type Gateway = Awaited<ReturnType<typeof startMock>>;

const gateway = (ttft: number): Promise<Gateway> =>
  startMock(
    {
      ttft: milliseconds(ttft),
      gap: milliseconds(1),
      limits: { requestsPerMinute: null, tokensPerMinute: null },
    },
    realClock(),
  );

let usual: Gateway;
let alike: Gateway;
let slower: Gateway;
beforeAll(async () => {
  [usual, alike, slower] = await Promise.all([gateway(400), gateway(400), gateway(500)]);
});
afterAll(async () => {
  await Promise.all([usual, alike, slower].map((each) => each.close()));
});

const slowDown = async ({ controlUrl }: Gateway, ttft: number): Promise<void> => {
  const { status } = await fetch(`${controlUrl}/settings`, {
    method: 'PATCH',
    body: JSON.stringify({ ttft }),
  });
  expect(status).toBe(200);
};

/**
 * Five runs of two seconds against one gateway, with further options. Runs in which the machine was
 * too busy for the load generator count here too, which only adds noise for the judge.
 */
const fiveRuns = (target: Gateway, words: readonly string[]): Promise<FinishedProgram> =>
  weirProcess(
    [
      'run',
      '--target',
      target.url,
      '--model',
      'weir/small',
      '--max-tokens',
      '10',
      '--rate',
      '30/s',
      '--duration',
      '2s',
      '--repeat',
      '5',
      '--pause',
      '0s',
      ...words,
    ],
    { WEIR_API_KEY: 'sk-weir-test' },
  );

const comparisonIn = async (folder: string) =>
  comparisonSchema.parse(JSON.parse(await readFile(join(folder, 'comparison.json'), 'utf8')));

describe('a gateway whose first token takes 25 % longer', () => {
  it('is a regression in five alternating runs against five, and again from their files', async () => {
    const folder = await tempFolder();
    const { code, stdout, stderr } = await fiveRuns(slower, [
      '--against',
      usual.url,
      '--out',
      folder,
      '--allow-different',
    ]);
    expect(code, stdout + stderr).toBe(11);
    expect(stdout).toMatch(/^✗ Regression: .*chat-stream TTFT p50 \(\+2\d\.\d %\)/);
    const comparison = await comparisonIn(folder);
    expect(comparison.base.runs.map(({ file }) => file)).toStrictEqual(
      [1, 2, 3, 4, 5].map((n) => join(folder, 'base', String(n), 'result.json')),
    );
    // ABBA: a drift affects both sides alike.
    const order = [...comparison.base.runs, ...comparison.next.runs]
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
      .map(({ file }) => (file.startsWith(join(folder, 'base')) ? 'A' : 'B'));
    expect(order.join('')).toBe('ABBAABBAAB');
    expect(await readFile(join(folder, 'comparison.junit.xml'), 'utf8')).toContain('<failure');
    const again = await weirProcess([
      'compare',
      join(folder, 'base'),
      join(folder, 'new'),
      '--allow-different',
      '--json',
      '--out',
      await tempFolder(),
    ]);
    expect(again.code).toBe(11);
    expect(comparisonSchema.parse(JSON.parse(again.stdout)).metrics).toStrictEqual(
      comparison.metrics,
    );
  });

  it('is a regression against stored runs of the same gateway', async () => {
    const [before, after] = [await tempFolder(), await tempFolder()];
    const base = await fiveRuns(alike, ['--out', before]);
    const runs = await Promise.all([1, 2, 3, 4, 5].map((n) => resultIn(join(before, `${n}`))));
    const exits = runs.map((result) => exitOf(result, 0));
    expect(base.code, base.stderr).toBe(Math.max(...exits));
    await slowDown(alike, 500);
    const { code, stdout, stderr } = await fiveRuns(alike, [
      '--baseline',
      before,
      '--out',
      after,
      '--allow-different',
    ]);
    await slowDown(alike, 400);
    expect(code, stdout + stderr).toBe(11);
  });
});

describe('two identical gateways', () => {
  it('never differ by a regression in twenty comparisons', async () => {
    const options = ['--allow-different', '--quiet'];
    const ran = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const folder = await tempFolder();
        const words = ['--against', usual.url, '--out', folder, ...options];
        const { code } = await fiveRuns(alike, words);
        return { code, base: join(folder, 'base'), next: join(folder, 'new') };
      }),
    );
    const codes = ran.map(({ code }) => code);
    const compare = async (base: string, next: string): Promise<void> => {
      const words = ['compare', base, next, '--out', await tempFolder(), ...options];
      codes.push((await weirProcess(words)).code);
    };
    // Runs of different turns share the machine’s noise, but did not alternate: the harder comparison.
    for (const [place, { base }] of ran.entries()) {
      for (const other of ran) if (other.base !== base) await compare(base, other.next);
      await compare(base, ran[(place + 1) % ran.length]!.base);
    }
    expect(codes).toStrictEqual(Array.from({ length: 20 }, () => 0));
  });
});
