import type { AttemptListener } from '../../engine/in-flight-attempt.ts';
import { SendContext } from '../../engine/prepare-attempt.ts';
import { drawRequestContent, type RequestContent } from '../../engine/request-content.ts';
import { observationOf, type RequestLifecycle } from '../../engine/request-lifecycle.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import { withReadDelays } from './read-delays.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { arrivalCountOf, type Plan } from '../../model/plan/plan.ts';
import { type DryExchange, dryExchanges } from '../../platform/socket/dry-exchange.ts';
import { createIncrementalTally, type IncrementalTally } from '../../record/incremental-tally.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { dryAnswers } from './dry-answers.ts';

/** How long a dry run takes at most, in ms, but for its last request. */
const longest = 150;
const mostRequests = 1000;
const requestsPerFlush = 25;
/** Of request bodies, such as uploads. */
const mostBytes = 8 * 1024 * 1024;

/** Records and encodes as a run does, and forgets. */
class ForgetfulRecorder {
  readonly #tally: IncrementalTally;

  constructor(plan: Plan) {
    this.#tally = createIncrementalTally(plan);
  }

  readonly observe = (observation: Observation): void => {
    this.#tally.record(observation);
    observationLine(observation);
  };

  /** As for a checkpoint. */
  flush(): void {
    const parts = this.#tally.flush();
    for (let part = parts.next(); part.done !== true; part = parts.next())
      JSON.stringify(part.value);
  }
}

/** One request after the other, each answered at once. */
class DryRunner implements AttemptListener {
  bytes = 0;
  readonly #options: SliceOptions;
  readonly #context: SendContext;
  readonly #clock: Clock;
  readonly #exchange: DryExchange;
  readonly #observe: (observation: Observation) => void;

  constructor(options: SliceOptions, clock: Clock, observe: (observation: Observation) => void) {
    this.#options = options;
    this.#context = new SendContext(options, this);
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
    const content: RequestContent = drawRequestContent(this.#options, arrival);
    const lifecycle: RequestLifecycle = { arrival, due: now, earlier: [], onAnswered: undefined };
    const onFinished: AttemptListener['onFinished'] = (_, { facts, outcome }) =>
      this.#observe(
        observationOf(lifecycle, content, { facts, earlier: [], gaveUp: null, outcome }),
      );
    this.onFinished = onFinished;
    const { credential } = content;
    const prepared = this.#context.authorizedRequest(content, credential);
    const instants = { due: now, released: now, begun: now };
    const attempt = this.#context.createAttempt(prepared, {
      ...instants,
      key: credential.name,
      reserved: null,
    });
    this.bytes += prepared.request.body?.length ?? 0;
    this.#exchange(prepared.request, attempt, dryAnswers[content.traffic.kind]);
  }
}

/**
 * Sends requests of the plan to nobody, so that V8 has compiled their code when the run begins: without a network,
 * and without a trace in results, since what is learnt and recorded is thrown away. `observe` also gets each observation.
 */
export const dryRun = (
  options: SliceOptions,
  clock: RunClock,
  observe: (observation: Observation) => void = () => undefined,
): void => {
  const { stages } = options.plan;
  const recorder = new ForgetfulRecorder(options.plan);
  const record = withReadDelays(clock, recorder.observe);
  const runner = new DryRunner(options, clock, (observation) => {
    record(observation);
    observe(observation);
  });
  const until = clock.now() + longest;
  const counts = stages.map(({ load }) => Math.floor(arrivalCountOf(load) ?? mostRequests));
  for (let n = 0; n < mostRequests && runner.bytes <= mostBytes; n += 1) {
    const stage = n % stages.length;
    if (counts[stage]! > 0) runner.send(stage, Math.floor(n / stages.length) % counts[stage]!);
    if (n % requestsPerFlush === requestsPerFlush - 1) recorder.flush();
    if (clock.now() >= until) break;
  }
  recorder.flush();
};
