import type { AttemptListener } from '../../engine/in-flight-attempt.ts';
import {
  authorizedRequest,
  createAttempt,
  type SendContext,
} from '../../engine/prepare-attempt.ts';
import { drawRequestContent, type RequestContent } from '../../engine/request-content.ts';
import { observationOf, type RequestLifecycle } from '../../engine/request-lifecycle.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { arrivalCountOf, type Plan } from '../../model/plan/plan.ts';
import { type DryExchange, dryExchanges } from '../../platform/socket/dry-exchange.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { emptyTargetMemory } from '../../traffic/traffic-handler.ts';
import { dryAnswers } from './dry-answers.ts';

/** How long a dry run takes at most, in ms, but for its last request. */
const longest = 100;
const mostRequests = 1000;
/** Of request bodies, such as uploads. */
const mostBytes = 8 * 1024 * 1024;

/** Records and encodes as a run does, and forgets. */
const forgetting = (plan: Plan): ((observation: Observation) => void) => {
  const tally = createIncrementalTally(plan);
  return (observation) => {
    tally.record(observation);
    observationLine(observation);
  };
};

/** One request after the other, each answered at once. */
class DryRunner implements AttemptListener {
  bytes = 0;
  readonly #context: SendContext;
  readonly #clock: Clock;
  readonly #exchange: DryExchange;
  readonly #observe: (observation: Observation) => void;

  constructor(options: SliceOptions, clock: Clock, observe: (observation: Observation) => void) {
    this.#context = { options, targetMemory: emptyTargetMemory(), listener: this };
    this.#clock = clock;
    this.#exchange = dryExchanges(clock);
    this.#observe = observe;
  }

  readonly onSent = (): void => undefined;
  readonly onTick = (): void => undefined;
  onFinished: AttemptListener['onFinished'] = () => undefined;

  send(stage: number, index: number): void {
    const now = this.#clock.now();
    const arrival = { stage, index, due: now };
    const content: RequestContent = drawRequestContent(this.#context.options, arrival);
    const lifecycle: RequestLifecycle = { arrival, due: now, earlier: [], onAnswered: undefined };
    this.onFinished = (_, { facts, outcome }) =>
      this.#observe(
        observationOf(lifecycle, content, { facts, earlier: [], gaveUp: null, outcome }),
      );
    const prepared = authorizedRequest(this.#context, content);
    const key = content.credential.name;
    const instants = { due: now, released: now, begun: now };
    const attempt = createAttempt(this.#context, prepared, { ...instants, key, reserved: null });
    this.bytes += prepared.request.body?.length ?? 0;
    this.#exchange(prepared.request, attempt, dryAnswers[content.traffic.kind]);
  }
}

/**
 * Sends requests of the plan to nobody, so that V8 has compiled their code when the run begins: without a network,
 * and without a trace in results, since what is learnt and recorded is thrown away. `clock` only times it.
 */
export const dryRun = (
  options: SliceOptions,
  clock: Clock,
  observe: (observation: Observation) => void = forgetting(options.plan),
): void => {
  const { stages } = options.plan;
  const runner = new DryRunner(options, clock, observe);
  const until = clock.now() + longest;
  const counts = stages.map(({ load }) => Math.floor(arrivalCountOf(load) ?? mostRequests));
  for (let n = 0; n < mostRequests; n += 1) {
    const stage = n % stages.length;
    if (counts[stage]! > 0) runner.send(stage, Math.floor(n / stages.length) % counts[stage]!);
    if (clock.now() >= until || runner.bytes > mostBytes) return;
  }
};
