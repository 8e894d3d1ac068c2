import { compliantSimulation } from '../../acceptance/limits/compliant-simulations.fixture.ts';
import { examineSimulatedGateway } from '../../acceptance/limits/examine-simulated-gateway.fixture.ts';
import { mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import type { Bench } from '../harness/bench.ts';

/** Whether examinations of simulated gateways name the right class, and blame none that keeps its limit. */

const seeds = 50;

export const limitsBench: Bench = {
  name: 'limits',
  about: 'whether examinations name the right limiter and blame none that keeps its limit',
  run: async (say) => {
    let named = 0;
    let blamed = 0;
    let runs = 0;
    for (const kind of mockLimiterClasses) {
      let own = 0;
      let margin = Number.POSITIVE_INFINITY;
      for (let seed = 0; seed < seeds; seed += 1) {
        const { simulation, declared } = compliantSimulation(kind, seed);
        const { judgement } = await examineSimulatedGateway(simulation, declared);
        const { best, runnerUp } = judgement.declared;
        if (best?.limiter === kind) {
          own += 1;
          margin = Math.min(margin, (runnerUp?.wrong ?? 0) - best.wrong);
        }
        if (judgement.violated) blamed += 1;
      }
      runs += seeds;
      named += own;
      say(`${kind}: ${own} of ${seeds} named, the runner-up at least ${margin} decisions worse`);
    }
    return [
      {
        what: `limiters named as their class, of ${runs} examinations`,
        value: (named / runs) * 100,
        unit: '%',
        bound: { kind: 'at least', value: 99 },
      },
      {
        what: 'violations found where there are none',
        value: blamed,
        unit: '',
        bound: { kind: 'at most', value: 0 },
      },
    ];
  },
};
