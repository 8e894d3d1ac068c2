// @long 27 s
// @alone: its figures need a machine on which nothing else runs
import { describe, expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import {
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** All ready at once, and half of them admitted in each window: the best possible time is one window. */
const requests = 60;
/** In ms; much longer than the pauses of a busy machine. */
const window = 20_000;

interface Settings {
  readonly limits: string;
  readonly client: string;
}

const runPaced = async ({ limits, client }: Settings): Promise<Result> => {
  const out = await tempFolder();
  const scenario = `
name: pace
traffic: [{ kind: chat, model: weir/small, prompt: Say yes., maxTokens: 80 }]
load: { kind: iterations, users: ${requests}, iterations: ${requests}, maxDuration: 60s }
${client}
mock: { ttft: 5ms, gap: 0s, outputTokens: { min: 80, max: 80 }, limits: { window: ${window}ms, ${limits} } }
`;
  await weirProcess(['run', await tempFile('s.yaml', scenario), '--quiet', '--out', out]);
  return resultIn(out);
};

/** Attempts, the share that was refused, and the best possible time as a share of the time to send all. */
const figuresOf = (result: Result) => {
  const rows = result.ledger.flatMap((ledger) => ledger.rows);
  const took = rows.at(-1)![0] - rows[0]![0];
  return {
    completed: sumOutcomes(result.groups).completed,
    attempts: result.groups.reduce((sum, { attempts }) => sum + attempts, 0),
    retried: result.groups.reduce((sum, { retried }) => sum + retried, 0),
    refused: rows.filter(([, , status]) => status === 429).length / rows.length,
    ofBest: window / took,
  };
};

describe('sixty requests against a gateway that admits thirty in each window', () => {
  it('take nearly the best possible time with a pace, without refusals; retries alone need many more attempts', async () => {
    const byRequests = { limits: 'requestsPerMinute: 30, retryAfter: none' };
    // Each uses 3 prompt tokens and 80 answer tokens, and reserves more until that is known.
    const byTokens = (accounting: string) => ({
      limits: `requestsPerMinute: none, tokensPerMinute: 2500, accounting: ${accounting}`,
      client: 'pace: { requests: none, tokens: 7500/min, window: 20s, margin: 100ms }',
    });
    const [paced, retried, after, reserved] = await Promise.all([
      runPaced({
        ...byRequests,
        client:
          'pace: { requests: 90/min, burst: limit, tokens: none, window: 20s, margin: 100ms }',
      }),
      runPaced({ ...byRequests, client: 'retry: { attempts: 20, base: 500ms, cap: 5s }' }),
      runPaced(byTokens('after')),
      runPaced(byTokens('reserve-reconcile')),
    ]);

    for (const result of [paced, after, reserved]) {
      const figures = figuresOf(result);
      expect(figures).toMatchObject({ completed: requests, attempts: requests, retried: 0 });
      expect(figures.refused).toBeLessThan(0.01);
      expect(figures.ofBest).toBeGreaterThan(0.97);
      const waits = result.groups[0]!.distributions.paceWait!;
      expect(waits.count).toBe(requests);
      expect(waits.max).toBeGreaterThan(window);
    }

    const figures = figuresOf(retried);
    expect(figures.completed).toBe(requests);
    expect(figures.retried).toBeGreaterThanOrEqual(30);
    expect(figures.refused).toBeGreaterThan(0.3);
    // The gateway itself counted every attempt.
    const limited = figures.attempts - requests;
    expect(retried.gatewayCounters).toMatchObject({ completed: requests, limited });
  });
});
