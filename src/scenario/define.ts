import type { z } from 'zod';
import type { scenarioSchema } from './schema/scenario-schema.ts';

/** A scenario as it is written: what a YAML file may hold, with its quantities as text (`5/s`, `30s`). */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/**
 * Gives a scenario in a TypeScript file its type, and back as it is. The file's default export is the
 * scenario, or a function that returns one, also later:
 *
 *     import { defineScenario } from 'weir-bench';
 *     export default defineScenario({
 *       traffic: [{ kind: 'models' }],
 *       load: { kind: 'constant', rate: '5/s', duration: '30s' },
 *     });
 */
export const defineScenario = (scenario: ScenarioInput): ScenarioInput => scenario;
