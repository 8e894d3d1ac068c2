import type { WireRequest } from '../../../model/observation/exchange.ts';
import { readRetryHint } from '../../../traffic/answer/retry-hint.ts';
import { type CheckAnswer, isDeadline } from '../reading/check-answer.ts';
import type { HangUpFacts } from '../reading/hang-up-facts.ts';
import type { CheckRequest, CheckTarget } from '../reading/check-case.ts';

/**
 * This file sends the requests of the checks, a few at the same time. The requests stay within the limits of the key,
 * and take at most a few minutes.
 */

export interface CheckClient {
  /** Returns the time of a monotonic clock in ms. */
  now(): number;
  /** Returns the Unix time in ms. */
  wall(): number;
  sleep(length: number): Promise<void>;
  /**
   * Sends a request. The promise never rejects. `isShort` shortens the deadline, because earlier requests had no answer
   * in time.
   */
  send(request: CheckRequest, wire: WireRequest, isShort: boolean): Promise<CheckAnswer>;
}

export interface BuiltRequest {
  readonly request: CheckRequest;
  readonly wire: WireRequest;
}

export interface CheckRunOptions {
  readonly target: CheckTarget;
  readonly stopReason: () => string | null;
  readonly say: (text: string) => void;
}

/** The number of requests in flight at the same time. With more, gateways might refuse some. */
const lanes = 3;

/** All requests together, including waits, may take at most this many ms. */
const longest = 240_000;

/** The longest wait for a limit, in ms: slightly more than a window of one minute. */
const longestWait = 65_000;
const maxWaits = 3;
const defaultWait = 10_000;

/** The pause before a failed request is sent again, in ms. */
const repeatPause = 1000;

/** After this many late answers in a row, each request gets a short deadline. */
const patience = 2;

const transientStatuses: readonly number[] = [500, 502, 503, 504];
const transientCauses: readonly string[] = [
  'reset',
  'closed-early',
  'closed-on-reuse',
  'connect-reset',
];

const isTransient = ({ status, received: { failure } }: CheckAnswer): boolean =>
  failure === null
    ? transientStatuses.includes(status ?? 0)
    : status === null && transientCauses.includes(failure.cause);

export class CheckRun {
  readonly answers = new Map<string, CheckAnswer>();
  readonly limited: CheckAnswer[] = [];
  readonly repeated: CheckAnswer[] = [];
  /** The observations after hang-ups; absent if the client did not hang up. */
  hangUps?: HangUpFacts | undefined;
  /** The tokens of the streams in the examination of hang-ups. */
  hungUp = { input: 0, output: 0 };
  sent = 0;
  waits = 0;
  stopped: string | null = null;
  /** The target. Its models are known once the list of models is read. */
  target: CheckTarget;
  readonly #client: CheckClient;
  readonly #options: Omit<CheckRunOptions, 'target'>;
  readonly #begun: number;
  #pausedUntil = 0;
  #deadlinesInRow = 0;

  constructor(client: CheckClient, options: CheckRunOptions) {
    this.#client = client;
    this.#options = options;
    this.target = options.target;
    this.#begun = client.now();
  }

  /** Whether at least one request was answered. */
  get isAnswered(): boolean {
    const answers = [...this.answers.values()];
    return this.hangUps !== undefined || answers.some(({ status }) => status !== null);
  }

  build(requests: readonly CheckRequest[]): readonly BuiltRequest[] {
    return requests.flatMap((request) => {
      const wire = request.build(this.target);
      return wire === null ? [] : [{ request, wire }];
    });
  }

  /** Sends all requests. A request that depends on the refusal of another request is sent last, if at all. */
  async sendAll(requests: readonly BuiltRequest[]): Promise<void> {
    const usual = requests.filter(({ request }) => request.onlyIfRefused === null);
    for (const each of usual.filter(({ request }) => request.isSerial)) await this.#send(each);
    await this.#sendTogether(usual.filter(({ request }) => !request.isSerial));
    await this.#sendTogether(
      requests.filter(({ request }) => {
        const status = this.answers.get(request.onlyIfRefused ?? '')?.status ?? 0;
        return status >= 400 && status < 500 && status !== 429;
      }),
    );
  }

  async #sendTogether(requests: readonly BuiltRequest[]): Promise<void> {
    const queue = [...requests];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        await this.#send(next);
    };
    await Promise.all(Array.from({ length: lanes }, work));
  }

  async #send({ request, wire }: BuiltRequest): Promise<void> {
    if (this.answers.has(request.id)) return;
    let repeats = 0;
    for (;;) {
      await this.#awaitPause();
      if (this.#mustStop()) return;
      this.sent += 1;
      const answer = await this.#client.send(request, wire, this.#deadlinesInRow >= patience);
      this.#deadlinesInRow = isDeadline(answer.received) ? this.#deadlinesInRow + 1 : 0;
      if (answer.status === 429 && this.#planWait(answer)) continue;
      if (isTransient(answer) && repeats === 0) {
        repeats += 1;
        this.repeated.push(answer);
        await this.#client.sleep(repeatPause);
        continue;
      }
      this.answers.set(request.id, answer);
      return;
    }
  }

  /** Plans a wait after a 429, unless there were too many waits. Returns whether to send the request again. */
  #planWait(answer: CheckAnswer): boolean {
    this.limited.push(answer);
    const now = this.#client.now();
    // Another request met the same limit, so the wait is already planned.
    if (now < this.#pausedUntil) return true;
    if (this.waits >= maxWaits) return false;
    this.waits += 1;
    const { headers, body } = answer.received;
    const named = readRetryHint({ status: 429, headers, body: body.toString() });
    const wait = Math.min(longestWait, Math.max(250, named?.wait ?? defaultWait));
    this.#pausedUntil = now + wait;
    const reason = wait === named?.wait ? ', as its answer says' : '';
    this.#options.say(`the key is limited (429): waiting ${Math.ceil(wait / 1000)} s${reason}`);
    return true;
  }

  async #awaitPause(): Promise<void> {
    while (this.#client.now() < this.#pausedUntil && this.#options.stopReason() === null)
      await this.#client.sleep(Math.min(500, this.#pausedUntil - this.#client.now()));
  }

  #mustStop(): boolean {
    const isLate = this.#client.now() - this.#begun > longest;
    this.stopped ??=
      this.#options.stopReason() ??
      (isLate ? `the suite took longer than ${longest / 60_000} minutes` : null);
    return this.stopped !== null;
  }
}
