// @long 100 s
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  cleanUpAfterEach,
  tempFolder,
  weirProcess,
} from '../../acceptance/harness/weir-process.fixture.ts';
import { capacityReportSchema } from '../../verbs/capacity/model/capacity.ts';
import { serverCharts } from '../../report/html/charts/server-charts.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort } from '../harness/server-process.ts';
import { startLlama } from './model-servers.ts';
import type { StartedServer } from './server-case.ts';
import { tokensOf } from './server-counts.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 900_000 });

/** llama.cpp's server works on this many requests at once; others wait in its queue. */
const places = 4;
const users = 16;

const scenarioAt = (target: string): Readonly<Record<string, unknown>> => ({
  name: 'ramp',
  target,
  wire: { proxy: 'none' },
  limits: 'none',
  traffic: [{ kind: 'chat-stream', model: 'random', prompt: 'hello there', maxTokens: 60 }],
  load: { kind: 'closed', users, rampUp: '12s', duration: '16s' },
  server: { metrics: '/metrics', every: '200ms' },
});

/** Starts llama.cpp's server, and stops it when the work is done. */
const withLlama = async (work: (server: StartedServer) => Promise<void>): Promise<void> => {
  const folder = await tempFolder();
  const server = await startLlama({ port: await freePort(), folder, log: join(folder, 'log') });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
};

const key = { WEIR_API_KEY: 'sk-proving-1' };

describe('the metrics of llama.cpp’s own server beside a ramp', () => {
  it('show its queue and the requests of Weir on one axis, and the tokens that both count', async (context) => {
    await orSkip(context, () =>
      withLlama(async ({ url, countTokens }) => {
        const before = await countTokens!();
        const { result } = await runScenario(scenarioAt(url), await tempFolder());
        const after = await countTokens!();
        const server = result.server!;
        expect(server).toMatchObject({ software: 'llama.cpp', failed: 0, resets: 0 });
        const [requests] = serverCharts(result);
        const [ours, running, waiting] = requests!.lines.map(({ values }) => values);
        expect(requests!.lines.map(({ label }) => label)).toEqual([
          'in flight, by Weir',
          'running on the server',
          'waiting on the server',
        ]);
        // Both begin empty and end with every user waiting for an answer.
        expect(running!.every((value) => value === null || value <= places)).toBe(true);
        expect(Math.max(...waiting!.map((value) => value ?? 0))).toBeGreaterThan(
          users - places - 2,
        );
        const apart = ours!.flatMap((value, second) => {
          const theirs = (running![second] ?? 0) + (waiting![second] ?? 0);
          return value === null || waiting![second] === null ? [] : [Math.abs(value - theirs)];
        });
        expect(apart.length).toBeGreaterThan(12);
        // A request is in flight a little before and after the server has it, and the machine is busy.
        expect(apart.filter((difference) => difference > 4).length, String(apart)).toBeLessThan(4);
        // The readings begin after the first requests and end before the last.
        const { output } = tokensOf(result);
        expect(after.output - before.output).toBe(output);
        const read = server.samples.reduce((sum, { sent, received, values }, i) => {
          const earlier = server.samples[i - 1];
          if (earlier === undefined) return sum;
          const seconds = (sent + received - earlier.sent - earlier.received) / 2000;
          return sum + (values['outputTokens'] ?? 0) * seconds;
        }, 0);
        expect(read).toBeLessThanOrEqual(output + 1e-6);
        expect(read).toBeGreaterThan(output * 0.9);
      }),
    );
  });

  it('are what weir capacity quotes to say why it bends', async (context) => {
    await orSkip(context, () =>
      withLlama(async ({ url }) => {
        const out = await tempFolder();
        const file = join(await tempFolder(), 'scenario.json');
        const load = { kind: 'constant', rate: '10/s', duration: '10s' };
        await writeFile(file, JSON.stringify({ ...scenarioAt(url), load }));
        const words = '--start 40/s --time 90s --precision 25% --yes'.split(' ');
        const { stdout, stderr } = await weirProcess(
          ['capacity', file, ...words, '--out', out],
          key,
        );
        const text = await readFile(join(out, 'capacity.json'), 'utf8');
        const { steps } = capacityReportSchema.parse(JSON.parse(text));
        const broken = steps.filter(({ verdict }) => verdict === 'broken');
        expect(broken.length, stderr).toBeGreaterThan(0);
        for (const { server } of broken) {
          expect(server!['running']).toBeGreaterThan(places - 0.5);
          expect(server!['waiting']).toBeGreaterThan(places);
        }
        const said = stdout.replaceAll(/\s+/g, ' ');
        // The mean of a step begins with free places.
        const quotes = broken.map(({ server }) => `${server!['running']!.toPrecision(3)} running`);
        const [, quoted] =
          /The server says at .* waiting, (.*): its own queue grows, so it is full/.exec(said) ??
          [];
        expect(quotes, said).toContain(quoted);
      }),
    );
  });
});
