import { undici } from '../../platform/undici.ts';
import { type AttemptListener, SendContext } from '../../engine/in-flight-attempt.ts';
import { drawRequestContent, type RequestContent } from '../../engine/request-content.ts';
import { observationOf, type RequestLifecycle } from '../../engine/request-lifecycle.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import { withReadDelays } from './observation-queue.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { arrivalCountOf, type Plan } from '../../model/plan/plan.ts';
import { plansByTarget } from '../../model/plan/targets.ts';
import { type DryExchange, dryExchanges } from '../../platform/socket/dry-exchange.ts';
import { createIncrementalTally, type IncrementalTally } from '../../record/incremental-tally.ts';
import { observationLine } from '../../record/observation-lines.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';

/** This file warms up the code of a run before the load, with short answers of an imaginary server. */

const tokens = 16;
const usage = { prompt_tokens: 8, completion_tokens: tokens, total_tokens: 8 + tokens };
const common = { id: 'chatcmpl-0', created: 1_700_000_000, model: 'dry-run' };

const whole = (contentType: string, body: Buffer): readonly Buffer[] => {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return [Buffer.concat([Buffer.from(head), body])];
};
const json = (value: unknown): readonly Buffer[] =>
  whole('application/json', Buffer.from(JSON.stringify(value)));

const streamed = (events: readonly string[]): readonly Buffer[] => [
  Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
  ),
  ...events.map((event) => {
    const text = `data: ${event}\n\n`;
    return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
  }),
  Buffer.from('0\r\n\r\n'),
];

const chunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const message = { role: 'assistant', content: 'a few words' };

/** Returns a WAV file (RIFF) of 64 samples of silence. */
const silence = (): Buffer => {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + 128, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(128, 40);
  return Buffer.concat([head, Buffer.alloc(128)]);
};

const dryAnswers: Readonly<Record<TrafficKind, readonly Buffer[]>> = {
  'chat-stream': streamed([
    chunk({ role: 'assistant', content: '' }),
    ...Array.from({ length: tokens }, (_, n) => chunk({ content: ` word${n}` })),
    chunk({}, 'stop'),
    JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage }),
    '[DONE]',
  ]),
  chat: json({
    ...common,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  }),
  speech: whole('audio/wav', silence()),
  transcription: json({ text: message.content }),
  models: json({
    object: 'list',
    data: [{ id: common.model, object: 'model', created: common.created, owned_by: 'nobody' }],
  }),
};

/** The maximum length of a dry run in ms. The last request may exceed this length. */
const longest = 150;
const mostRequests = 1000;
const requestsPerFlush = 25;
/** A dry run ends once its request bodies have this many bytes in all, since uploads can be large. */
const mostBytes = 8 * 1024 * 1024;

/** Records and encodes observations as a run does, but stores nothing. */
class ForgetfulRecorder {
  readonly #tally: IncrementalTally;

  constructor(plan: Plan) {
    this.#tally = createIncrementalTally(plan);
  }

  readonly observe = (observation: Observation): void => {
    this.#tally.record(observation);
    observationLine(observation);
  };

  /** Encodes the recorded data, as for a checkpoint, and drops the result. */
  flush(): void {
    const parts = this.#tally.flush();
    for (let part = parts.next(); part.done !== true; part = parts.next())
      JSON.stringify(part.value);
  }
}

/** Sends one request after another. Each request is answered at once. */
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
    const attempt = this.#context.createAttempt(prepared, credential, {
      ...instants,
      reserved: null,
    });
    this.bytes += prepared.request.body?.length ?? 0;
    this.#exchange(prepared.request, attempt, dryAnswers[content.traffic.kind]);
  }
}

/**
 * Passes requests of the plan through the code of a run without a network, so that V8 has compiled this code when the
 * run begins. Everything that the dry run records is dropped, so the dry run does not affect results. `observe` also
 * receives each observation of the dry run.
 */
export const dryRun = (
  options: SliceOptions,
  clock: RunClock,
  observe: (observation: Observation) => void = () => undefined,
): void => {
  const { stages } = options.plan;
  // undici is loaded now, so that the first request of the run need not wait for undici.
  if (plansByTarget(options.plan).some(({ transport }) => transport === 'undici')) undici();
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
