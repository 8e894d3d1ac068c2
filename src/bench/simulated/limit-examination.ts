import { compliantSimulation } from '../../acceptance/limits/compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from '../../acceptance/limits/examine-simulated-gateway.fixture.ts';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';

const seeds = 50;

/** Whether examinations of compliant simulated gateways name the right limiter and report no violation. */
export const measureLimitExamination: BenchPart = async (say) => {
  let named = 0;
  let misnamed = 0;
  let violated = 0;
  for (const kind of mockLimiterClasses) {
    let own = 0;
    let margin = Number.POSITIVE_INFINITY;
    for (let seed = 0; seed < seeds; seed += 1) {
      const { simulation, declared } = compliantSimulation(kind, seed);
      const { judgement } = await examineSimulatedGateway(simulation, declared);
      const { best, runnerUp } = judgement.identification;
      if (best?.limiter === kind) {
        own += 1;
        margin = Math.min(margin, (runnerUp?.wrong ?? 0) - best.wrong);
      }
      if (best !== null && best.limiter !== kind) misnamed += 1;
      // A cap on requests in flight limits no number of requests in a window.
      if (kind !== 'in-flight' && judgement.verdict === 'violated') violated += 1;
    }
    named += own;
    say(`${kind}: ${own} of ${seeds} named, the runner-up at least ${margin} decisions worse`);
  }
  const examinations = mockLimiterClasses.length * seeds;
  const shareOf = (count: number): number => (count / examinations) * 100;
  return [
    benchRow(`named correctly, of ${examinations} examinations`, '%', shareOf(named), atLeast(99)),
    benchRow('named wrongly', '%', shareOf(misnamed), atMost(1)),
    benchRow('false violations', '', violated, atMost(0)),
  ];
};
