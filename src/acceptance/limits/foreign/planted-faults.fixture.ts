import type { GateRequest, Gate, GateDecision, OpenGate } from './foreign-gateway.fixture.ts';
import {
  type DecisionRule,
  type ForeignLimiter,
  type LimiterSetting,
  refillEvenly,
  refuse,
} from './foreign-limiter.fixture.ts';

/** A fault that is planted into a gateway whose limiter is otherwise as its authors wrote it. */
export interface SimulatedFault {
  readonly name: string;
  /**
   * Whether it must be caught in 95 of 100 examinations with the default budget; `listed` faults have their
   * power published.
   */
  readonly power: 'must' | 'listed';
  /** The checks that show it without a violation; `null` if only exit code 14 does. */
  readonly shownBy: RegExp | null;
  /** The windows of sustained load that the examination is asked for; the default if absent. */
  readonly sustain?: number;
  /** Whether only limit headers can show it. */
  readonly needsHeaders?: boolean;
  readonly plant: (open: ForeignLimiter['open']) => OpenGate;
}

const alone =
  (rule: DecisionRule): Gate =>
  ({ now }) =>
    rule(now);

const withSetting = (
  name: string,
  power: SimulatedFault['power'],
  change: (setting: LimiterSetting) => Partial<LimiterSetting>,
): SimulatedFault => ({
  name,
  power,
  shownBy: null,
  plant: (open) => (setting) => alone(open({ ...setting, ...change(setting) })),
});

const limitTimes = (factor: number): SimulatedFault =>
  withSetting(`limit × ${factor}`, 'must', ({ limit }) => ({ limit: Math.round(limit * factor) }));

const windowTimes = (factor: number, power: SimulatedFault['power']): SimulatedFault =>
  withSetting(`window × ${factor}`, power, ({ window }) => ({ window: window * factor }));

/** A bucket instead of the limiter: `burst` and `rate` as shares of the limit. */
const bucketOf = (
  name: string,
  power: SimulatedFault['power'],
  burst: number,
  rate: number,
): SimulatedFault => ({
  name,
  power,
  shownBy: null,
  plant:
    () =>
    ({ limit, window, start }) =>
      alone(refillEvenly(Math.max(1, Math.ceil(limit * burst)), (rate * limit) / window, start)),
});

/** How much longer a load is sustained to show a rate that is off by a fifth. */
const longSustain = 10;

const sustainedLong = (fault: SimulatedFault): SimulatedFault => ({
  ...fault,
  name: `${fault.name}, --sustain ${longSustain}`,
  power: 'must',
  sustain: longSustain,
});

const refusedWith = (status: number): SimulatedFault => ({
  name: status === 200 ? 'refusals are a 200 that holds an error' : `refusals are a ${status}`,
  power: 'must',
  shownBy: /status/,
  plant: (open) => (setting) => {
    const rule = open(setting);
    return ({ now }): GateDecision => ({ ...rule(now), status });
  },
});

const workers = (
  count: number,
  how: string,
  choose: (request: GateRequest, setting: LimiterSetting, turn: number) => number,
): SimulatedFault => ({
  name: `${count} workers without a common store, ${how}`,
  power: 'must',
  shownBy: null,
  plant: (open) => (setting) => {
    const rules = Array.from({ length: count }, () =>
      open({ ...setting, start: setting.start - setting.draw.uniform() * setting.window }),
    );
    let turn = 0;
    return (request) => rules[choose(request, setting, turn++) % count]!(request.now);
  },
});

const workerFaults = [2, 4].flatMap((count) => [
  workers(count, 'by turns', (_, __, turn) => turn),
  workers(count, 'at random', (_, { draw }) => Math.floor(draw.uniform() * count)),
  workers(count, 'by connection', ({ connection }) => connection),
]);

/** How long the read of a shared counter is out of date when the next request reads it, in ms. */
const updateTime = 15;

/** What comes just after an admitted request reads the counter from before it, so that one of the two is not counted. */
const lostUpdates: SimulatedFault = {
  name: 'updates of the counter are lost under concurrency',
  power: 'listed',
  shownBy: null,
  plant: (open) => (setting) => {
    const rule = open(setting);
    let last: { readonly at: number; readonly decision: GateDecision } | null = null;
    return ({ now }) => {
      if (last !== null && now - last.at < updateTime && setting.draw.uniform() < 0.7)
        return last.decision;
      const decision = rule(now);
      last = decision.admitted ? { at: now, decision } : null;
      return decision;
    };
  },
};

const randomRefusals: SimulatedFault = {
  name: '5 % of all requests are refused at random',
  power: 'must',
  shownBy: null,
  plant: (open) => (setting) => {
    const rule = open(setting);
    return ({ now }) => (setting.draw.uniform() < 0.05 ? refuse() : rule(now));
  },
};

/** After a refusal all requests are refused for `windows` windows, or until none came for so long. */
const blocked = (name: string, windows: number, isExtended: boolean): SimulatedFault => ({
  name,
  power: 'listed',
  shownBy: /^(recovery|no-lockout)$/,
  plant: (open) => (setting) => {
    const rule = open(setting);
    let until = Number.NEGATIVE_INFINITY;
    return ({ now }) => {
      if (now < until) {
        if (isExtended) until = now + windows * setting.window;
        return refuse(until - now);
      }
      const decision = rule(now);
      if (!decision.admitted) until = now + windows * setting.window;
      return decision;
    };
  },
});

const remainingTooHigh: SimulatedFault = {
  name: 'the reported remaining is one too high',
  power: 'listed',
  shownBy: /^remaining/,
  needsHeaders: true,
  plant: (open) => (setting) => {
    const rule = open(setting);
    return ({ now }) => {
      const decision = rule(now);
      const { remaining } = decision;
      return { ...decision, remaining: remaining === null ? null : remaining + 1 };
    };
  },
};

const limitPerModel: SimulatedFault = {
  name: 'each model has its own limit',
  power: 'listed',
  shownBy: /model/,
  plant: (open) => (setting) => {
    const rules = new Map<string, DecisionRule>();
    return ({ now, model }) => {
      const rule = rules.get(model) ?? open(setting);
      rules.set(model, rule);
      return rule(now);
    };
  },
};

export const plantedFaults: readonly SimulatedFault[] = [
  ...[0.9, 1.1, 1.2, 2, 4].map(limitTimes),
  withSetting('limit + 1', 'listed', ({ limit }) => ({ limit: limit + 1 })),
  bucketOf('sustained rate × 0.5, burst of the limit', 'must', 1, 0.5),
  bucketOf('sustained rate × 0.5, bursts of a sixth', 'must', 1 / 6, 0.5),
  bucketOf('sustained rate × 1.2, bursts of a sixth', 'listed', 1 / 6, 1.2),
  bucketOf('sustained rate × 1.5, bursts of a sixth', 'must', 1 / 6, 1.5),
  bucketOf('sustained rate × 2, bursts of a sixth', 'must', 1 / 6, 2),
  ...[0.8, 1.2].map((rate) =>
    sustainedLong(bucketOf(`sustained rate × ${rate}, bursts of a sixth`, 'must', 1 / 6, rate)),
  ),
  bucketOf('no limit at all', 'must', 1000, 1000),
  windowTimes(0.8, 'must'),
  windowTimes(1.2, 'must'),
  windowTimes(1.5, 'must'),
  windowTimes(0.9, 'listed'),
  windowTimes(1.1, 'listed'),
  ...[403, 503, 200].map(refusedWith),
  ...workerFaults,
  lostUpdates,
  randomRefusals,
  blocked('a refusal blocks the key for a window', 1, false),
  blocked('a refusal locks the key for ten windows', 10, false),
  blocked('every refusal starts the window anew', 1, true),
  remainingTooHigh,
  limitPerModel,
];
