import type { Load, OpenLoad, RateSegment } from '../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import type { ScenarioLoad } from '../schema/load-schema.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { formatRate } from '../schema/notation.ts';

/**
 * A load of the plan, and the suffix for the name of its stage. The suffix is empty unless a load of the scenario
 * becomes several loads of the plan.
 */
export interface CompiledLoad {
  readonly suffix: string;
  readonly load: Load;
}

type LoadOf<K extends ScenarioLoad['kind']> = Extract<ScenarioLoad, { kind: K }>;

const singleLoad = (load: Load): readonly CompiledLoad[] => [{ suffix: '', load }];

const constantCurve = (
  { rate, duration }: Pick<LoadOf<'constant'>, 'rate' | 'duration'>,
  spacing: OpenLoad['spacing'],
): OpenLoad => ({ kind: 'open', curve: [{ from: rate, to: rate, duration }], spacing });

const rampingCurve = ({ from, steps, spacing }: LoadOf<'ramping'>): OpenLoad => {
  let rate = from;
  const curve: RateSegment[] = [];
  for (const { to, over } of steps) {
    if (over > 0) curve.push({ from: rate, to, duration: over });
    rate = to;
  }
  // A curve needs at least one piece. A piece without length is refused later, since a load with only this piece has no
  // requests.
  if (curve.length === 0) curve.push({ from: rate, to: rate, duration: milliseconds(0) });
  return { kind: 'open', curve, spacing };
};

const stairs = (load: LoadOf<'stairs'>): readonly CompiledLoad[] =>
  Array.from({ length: load.steps }, (_, index) => {
    const rate = perSecond(load.from + index * load.step);
    const stair = constantCurve({ rate, duration: load.every }, load.spacing);
    return { suffix: ` ${formatRate(rate)}`, load: stair };
  });

const loadCompilers: {
  readonly [K in ScenarioLoad['kind']]: (
    load: LoadOf<K>,
    files: WorkloadFiles,
  ) => readonly CompiledLoad[];
} = {
  constant: (load) => singleLoad(constantCurve(load, 'even')),
  poisson: (load) => singleLoad(constantCurve(load, 'poisson')),
  gamma: (load) => singleLoad(constantCurve(load, { gamma: load.shape })),
  ramping: (load) => singleLoad(rampingCurve(load)),
  stairs: (load) => stairs(load),
  closed: (load) => singleLoad(load),
  iterations: (load) => singleLoad(load),
  saturate: (load) => singleLoad(load),
  trace: (load, files) => {
    const found = files.trace(load);
    return found.ok ? singleLoad({ ...load, facts: found.value }) : [];
  },
};

/** Compiles a load of the scenario. A load of stairs becomes one load of the plan for each step. */
export const compileLoad = <K extends ScenarioLoad['kind']>(
  load: LoadOf<K>,
  files: WorkloadFiles,
): readonly CompiledLoad[] => loadCompilers[load.kind](load, files);

/** The stage's name in a scenario with only one load. */
export const defaultStageName = 'main';

/** Returns the names of the stages that one stage of the scenario becomes in the plan. */
export const planStageNames = (name: string, load: ScenarioLoad): readonly string[] =>
  load.kind === 'stairs' ? stairs(load).map(({ suffix }) => `${name}${suffix}`) : [name];
