/**
 * A scenario in TypeScript, for what YAML cannot say: parts that are computed. The editor completes
 * every field, and the compiler refuses a key that is none. It needs Node.js 24 and no build:
 *
 *   weir run scenarios/typed.ts
 *   weir validate scenarios/typed.ts --json     (prints the plan it means)
 *
 * Copy it into any folder of yours: `weir` is the Weir that runs it.
 */
import { defineScenario, type ScenarioInput } from 'weir-bench';

type Traffic = NonNullable<ScenarioInput['traffic']>;

/** The same question at three lengths of answer, so that the report shows what a token takes. */
const lengths: Traffic = [10, 40, 160].map((maxTokens) => ({
  kind: 'chat-stream',
  name: `${maxTokens} tokens`,
  model: 'weir/small',
  prompt: 'Tell the story of a miller whose stream runs dry.',
  maxTokens,
}));

/** Rates in a ratio, which no stairs can have. */
const rates = [0.25, 0.5, 1, 2];

export default defineScenario({
  name: 'typed',
  description: 'Streams of three lengths at rates that double.',
  traffic: lengths,
  prices: { 'weir/small': { input: 0.15, output: 0.6 }, currency: 'USD' },
  stages: rates.map((rate) => ({
    name: `${rate} a second`,
    load: { kind: 'poisson', rate: `${rate}/s`, duration: '12s' },
  })),
});
