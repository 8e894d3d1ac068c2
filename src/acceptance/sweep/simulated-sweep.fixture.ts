import { judgeRun } from '../../verbs/sweep/judge/judge-point.ts';
import { judgeSweep } from '../../verbs/sweep/judge/judge-sweep.ts';
import { figureNames } from '../../verbs/sweep/judge/swept-figures.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Batching } from '../../model/gateway/mock-latency.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { SweepReport } from '../../verbs/sweep/model/sweep.ts';
import { sampleSweep } from '../../verbs/sweep/report/sample-sweep.fixture.ts';
import { runOnSimulatedServer, simulatedPlan } from '../capacity/simulated-capacity.fixture.ts';
import type { RequestSize } from '../../mock/serving/saturation-rate.fixture.ts';

/** A sweep of users and prompt lengths against the mock’s serving model, on a clock that jumps. */

export interface SimulatedSweep {
  readonly batching: Batching;
  readonly users: readonly number[];
  readonly promptTokens: readonly number[];
  readonly outputTokens: number;
}

const names = figureNames([]);

/**
 * The knee by the formula. N users without think time wait for N prefills and N shares of every step:
 * R(N) = a + bN, with a = steps × step and b = prefill + steps × the step’s part for each request. N / R(N)² is
 * largest at N = a / b.
 */
export const formulaKnee = (
  { overhead, perPromptToken, step, stepPerRequest, stepPerThousandTokens }: Batching,
  { promptTokens, outputTokens }: RequestSize,
): { readonly inFlight: number; readonly rate: number } => {
  const steps = outputTokens - 1;
  const context = promptTokens + (steps + 1) / 2;
  const perRequest = stepPerRequest + (stepPerThousandTokens * context) / 1000;
  const alone = steps * step;
  const shared = overhead + perPromptToken * promptTokens + steps * perRequest;
  return { inFlight: alone / shared, rate: 1000 / (2 * shared) };
};

/** Runs every combination once, each with another seed, and judges them as `weir sweep` does. */
export const sweepSimulated = async (sweep: SimulatedSweep): Promise<SweepReport> => {
  const { batching, users, promptTokens, outputTokens } = sweep;
  const combinations = promptTokens.flatMap((tokens) => users.map((count) => ({ tokens, count })));
  const points = await Promise.all(
    combinations.map(async ({ tokens, count }, i) => {
      const server = { batching, workload: { promptTokens: tokens, outputTokens }, seed: i + 1 };
      const plan = simulatedPlan(server);
      const load = {
        kind: 'closed' as const,
        users: count,
        duration: milliseconds(150_000),
        thinkTime: milliseconds(0),
        rampUp: milliseconds(5000),
      };
      const stages = plan.stages.map((stage) => ({ ...stage, load }));
      const varied = { ...plan, stages, warmUp: milliseconds(30_000) };
      const result = await runOnSimulatedServer(varied, server);
      const run = { folder: `runs/${i + 1}`, order: i + 1, result, trust: judgeTrust(result) };
      return {
        values: [String(tokens), String(count)],
        runs: [judgeRun(run, names)],
        problems: [],
      };
    }),
  );
  const variables = [
    { path: 'prompt.tokens', values: promptTokens.map(String), isLoad: false },
    { path: 'load.users', values: users.map(String), isLoad: true },
  ];
  const plan = simulatedPlan({ batching, workload: { promptTokens: 1, outputTokens }, seed: 1 });
  return sampleSweep({
    objectives: [],
    variables,
    ...judgeSweep({ variables, points, throughput: null, latency: null }, plan),
    partial: null,
  });
};
