import type { WireRequest } from '../../../model/observation/exchange.ts';
import { readDeclaredLimits } from '../../../traffic/limits/declared-limits.ts';
import { readRefusedLimit } from '../../../traffic/limits/retry-after.ts';
import {
  type ChargeFacts,
  countIn,
  type GenerationFacts,
  type HangUpFacts,
  type HeldStream,
  type SlotFacts,
  type Unseen,
} from '../reading/hang-up-facts.ts';

export interface ServedLoad {
  readonly running: number;
  readonly outputTokens: number | null;
}

/** What the experiment needs: the clock, the target and the server's metrics. Times are in ms. */
export interface HangUpPorts {
  readonly now: () => number;
  readonly sleep: (length: number) => Promise<void>;
  readonly open: (request: WireRequest) => HeldStream;
  /** Reads the server's metrics; `null` without metrics, or if no metric says how many requests run. */
  readonly load: () => Promise<ServedLoad | null>;
  readonly isStopped: () => boolean;
}

export interface HangUpRequests {
  /** A chat with a long streamed answer, and a chat with an answer of one token. */
  readonly long: WireRequest;
  readonly short: WireRequest;
}

/** At most this many streams are opened to find how many a key may have in flight. */
export const mostStreams = 10;
/** The client hangs up after this many token events. */
const hangUpEvents = 5;
const look = 20;
/** An answer counts as missing after this many ms. */
const patience = 60_000;
const shortestStream = 1500;
/**
 * Before the hang-up, chats must be refused for `controlTime` ms. The pause between two such chats is `controlPause`
 * ms.
 */
const controlTime = 1500;
const controlPause = 300;
/** The pauses between tries after the hang-up, in ms. The last pause is repeated. */
const tryPauses = [10, 20, 40, 80, 160, 320] as const;

const unseen = (reason: string): Unseen => ({ unseen: reason });

const until = async (
  { now, sleep, isStopped }: HangUpPorts,
  isDone: () => boolean,
  most = patience,
): Promise<boolean> => {
  const end = now() + most;
  while (!isDone() && now() < end && !isStopped()) await sleep(look);
  return isDone();
};

/** Sends a chat and waits for its whole answer. */
const answered = async (ports: HangUpPorts, request: WireRequest): Promise<HeldStream> => {
  const stream = ports.open(request);
  if (!(await until(ports, () => stream.hasEnded))) stream.hangUp();
  return stream;
};

const remainingOf = ({ headers }: HeldStream): number | null =>
  readDeclaredLimits(headers)?.quota?.remainingTokens ?? null;

const whyFailed = (what: string, { status }: HeldStream): Unseen =>
  unseen(`${what} was answered ${status === null ? 'with nothing' : `with status ${status}`}`);

/** Two measured streams: a whole one, and one from which the client hung up (`cut`). */
interface Measured {
  readonly whole: HeldStream;
  readonly took: number;
  readonly cut: HeldStream;
  readonly generation: GenerationFacts | Unseen;
  /**
   * The remaining tokens, read five times: twice before the whole stream, after the whole stream, after the cut stream,
   * and after an equal time without a stream.
   */
  readonly remaining: readonly (number | null)[];
}

/** What the server's metrics said before a stream and during the stream. */
interface SeenLoad {
  readonly before: ServedLoad | null;
  readonly during: ServedLoad | null;
}

/** Returns why the metrics cannot show whether a stream runs; `null` if the metrics are usable. */
const whyNoMetrics = ({ before, during }: SeenLoad): string | null => {
  if (before === null || during === null)
    return 'no metrics of the server are known (a scenario names them: server.metrics)';
  const others = Math.max(before.running, during.running - 1);
  if (others > 0)
    return `${others} other ${others === 1 ? 'request' : 'requests'} ran on the server`;
  return during.running === 0 ? 'the metrics did not show a stream that ran' : null;
};

/**
 * The latest time at which an answer may end: `lateRest` times its expected remaining time, plus `lateTime` ms. A
 * request that runs longer may belong to another client.
 */
const lateRest = 1.3;
const lateTime = 1000;
/**
 * After a hang-up, the server may count at most the answer's remaining tokens times `moreTokens`, plus `fewTokens`.
 * More tokens show another client.
 */
const moreTokens = 1.2;
const fewTokens = 16;

/** Returns why a request that still runs may belong to another client; `null` without such a reason. */
const whyOthers = (
  { idleAfter, naturalRest, lookedFor, tokensAfter }: GenerationFacts,
  most: number,
  tokensLeft: number,
): string | null => {
  if (most > 1) return `${most} requests ran on the server after the hang-up`;
  if ((idleAfter ?? lookedFor) > lateRest * naturalRest)
    return 'a request ran on long after the answer would have ended, so that it may be another one';
  return tokensAfter !== null && tokensAfter > moreTokens * tokensLeft + fewTokens
    ? `${tokensAfter} tokens were counted after the hang-up, and the answer had ${tokensLeft} left`
    : null;
};

/** Reads the metrics until the answer would have ended, and longer while a request still runs. */
const followLoad = async (ports: HangUpPorts, rest: number) => {
  const begun = ports.now();
  let [idleAfter, most, last]: [number | null, number, ServedLoad | null] = [null, 0, null];
  const longest = (): number =>
    idleAfter !== null || most > 1 ? rest : lateRest * rest + lateTime;
  while (ports.now() - begun < longest() && !ports.isStopped()) {
    await ports.sleep(look);
    last = (await ports.load()) ?? last;
    if (last?.running === 0) idleAfter ??= ports.now() - begun;
    if (idleAfter === null) most = Math.max(most, last?.running ?? 0);
  }
  return { idleAfter, most, last, lookedFor: ports.now() - begun };
};

/** Hangs up, and then reads the metrics until the answer would have ended. */
const watchGeneration = async (
  ports: HangUpPorts,
  { before, during }: SeenLoad,
  cut: HeldStream,
  { rest, tokensLeft }: { readonly rest: number; readonly tokensLeft: number },
): Promise<GenerationFacts | Unseen> => {
  const started = await ports.load();
  const reason = whyNoMetrics({ before, during }) ?? whyNoMetrics({ before, during: started });
  cut.hangUp();
  if (reason !== null) {
    await until(ports, () => false, rest);
    return unseen(reason);
  }
  const { idleAfter, most, last, lookedFor } = await followLoad(ports, rest);
  const [counted, end] = [started?.outputTokens ?? null, last?.outputTokens ?? null];
  const tokensAfter = counted === null || end === null ? null : Math.max(0, end - counted);
  const facts = { idleAfter, lookedFor, naturalRest: rest, tokensAfter };
  const others = whyOthers(facts, most, tokensLeft);
  return others === null ? facts : unseen(others);
};

const measureStreams = async (
  ports: HangUpPorts,
  { long, short }: HangUpRequests,
): Promise<Measured | Unseen> => {
  const remaining: (number | null)[] = [];
  const readRemaining = async (): Promise<void> => {
    remaining.push(remainingOf(await answered(ports, short)));
  };
  await readRemaining();
  await readRemaining();
  const before = await ports.load();
  const whole = ports.open(long);
  await until(ports, () => whole.events >= hangUpEvents || whole.hasEnded);
  const during = await ports.load();
  if (!(await until(ports, () => whole.hasEnded))) whole.hangUp();
  const took = ports.now() - whole.begun;
  if (whole.status !== 200) return whyFailed('a streamed chat', whole);
  if (whole.events <= 2 * hangUpEvents || took < shortestStream)
    return unseen(
      `a streamed chat of at most 400 tokens took ${Math.round(took)} ms with ${whole.events} token events, too little to hang up on`,
    );
  await readRemaining();
  // Other clients may have begun requests during the whole stream. If requests run now, the current metrics are used
  // instead of the earlier ones.
  const last = await ports.load();
  const quiet = before !== null && last !== null && last.running > 0 ? last : before;
  const cut = ports.open(long);
  await until(ports, () => cut.events >= hangUpEvents || cut.hasEnded);
  const rest = Math.max(0, took - (ports.now() - cut.begun));
  const tokensLeft = Math.max(0, whole.events - cut.events);
  const seen = { before: quiet, during };
  const generation = await watchGeneration(ports, seen, cut, { rest, tokensLeft });
  // A gateway that charges at the end of an answer has charged after this pause.
  await ports.sleep(500);
  await readRemaining();
  if (!remaining.includes(null)) {
    // During this time without a stream, only the next short chat may be charged. Any other charge shows that another
    // client uses the key.
    await ports.sleep(Math.max(0, ports.now() - cut.begun));
    await readRemaining();
  }
  return cut.status === 200
    ? { whole, took, cut, generation, remaining }
    : whyFailed('a second streamed chat', cut);
};

/**
 * A difference between two charges is ignored up to `fewest` tokens, or up to `sameShare` of the charge for a whole
 * answer.
 */
const fewest = 2;
const sameShare = 0.05;

const chargeOf = ({ whole, cut, remaining }: Measured): ChargeFacts | Unseen => {
  if (remaining.some((each) => each === null))
    return unseen('the answers do not say how many tokens remain');
  const [first, second, third, fourth, fifth] = remaining as readonly number[];
  const reading = first! - second!;
  const [ofWhole, ofHangUp] = [second! - third! - reading, third! - fourth! - reading];
  if (reading < 0 || ofWhole < 0 || ofHangUp < 0)
    return unseen('the remaining tokens rose meanwhile: a window began, or a bucket refilled');
  const ofOthers = fourth! - fifth! - reading;
  if (Math.abs(ofOthers) > Math.max(fewest, sameShare * ofWhole))
    return unseen(
      ofOthers > 0
        ? `somebody else used the key: ${ofOthers} tokens were charged in a time without a stream`
        : 'the remaining tokens rose meanwhile: a window began, or a bucket refilled',
    );
  if (ofWhole === 0) return unseen('the remaining tokens do not fall for a whole answer either');
  const promptTokens = countIn(whole, 'prompt_tokens');
  return { ofHangUp, ofWhole, events: cut.events, wholeEvents: whole.events, promptTokens };
};

interface Tried {
  readonly isAdmitted: boolean;
  readonly stream: HeldStream;
}

/** Sends a short chat, and returns whether it was admitted. */
const tryShort = async (ports: HangUpPorts, { short }: HangUpRequests): Promise<Tried> => {
  const stream = await answered(ports, short);
  return { isAdmitted: stream.status === 200, stream };
};

const isRefused = ({ status }: HeldStream): boolean => status === 429 || status === 503;

/** Returns why a refusal may come from a limit on anything but requests in flight; `null` without such a reason. */
const otherLimit = ({ text, headers }: HeldStream): string | null => {
  const { unit } = readRefusedLimit(text);
  if (unit !== null && unit !== 'in-flight') return `the refusal names a limit of ${unit}`;
  const quota = readDeclaredLimits(headers)?.quota;
  return quota?.remainingRequests === 0 || quota?.remainingTokens === 0
    ? 'the limit per minute is used up'
    : null;
};

/** Opens streams until a stream is refused. Returns the running streams and the refusal. */
const fillKey = async (ports: HangUpPorts, { long }: HangUpRequests) => {
  const streams: HeldStream[] = [];
  while (streams.length < mostStreams && !ports.isStopped()) {
    const stream = ports.open(long);
    await until(ports, () => stream.events > 0 || stream.hasEnded);
    if (isRefused(stream)) return { streams, refusal: stream };
    streams.push(stream);
  }
  return { streams, refusal: null };
};

const examineSlot = async (
  ports: HangUpPorts,
  requests: HangUpRequests,
  streams: readonly HeldStream[],
  took: number,
): Promise<SlotFacts | Unseen> => {
  const running = (): readonly HeldStream[] => streams.filter(({ hasEnded }) => !hasEnded);
  const begun = ports.now();
  let refusals = 0;
  let namesInFlight = false;
  while (ports.now() - begun < controlTime) {
    const { isAdmitted, stream } = await tryShort(ports, requests);
    if (isAdmitted) return unseen('a further chat was admitted although all streams still ran');
    namesInFlight ||= readRefusedLimit(stream.text).unit === 'in-flight';
    refusals += 1;
    await ports.sleep(controlPause);
  }
  if (running().length < streams.length)
    return unseen('the streams ended before it was clear that they used the slots');
  // The other streams were opened later, so they still run when the first stream would have ended.
  const [first] = streams as readonly [HeldStream];
  const hungUp = ports.now();
  const naturalRest = Math.max(0, took - (hungUp - first.begun));
  const refusedFor = hungUp - begun;
  if (naturalRest < 1000)
    return unseen('the streams are too short to tell a hang-up from their end');
  first.hangUp();
  let admittedAfter: number | null = null;
  let left = streams.length - 1;
  for (let i = 0; ports.now() - hungUp < naturalRest + 2000; i += 1) {
    await ports.sleep(tryPauses[Math.min(i, tryPauses.length - 1)]!);
    const asked = ports.now() - hungUp;
    if (running().length < left || ports.isStopped()) break;
    // Another client may have taken the freed slot. Hanging up from a second stream shows whether the server frees
    // slots.
    if (left > 0 && left === streams.length - 1 && asked > 0.5 * naturalRest) {
      streams[1]!.hangUp();
      left -= 1;
    }
    const { isAdmitted } = await tryShort(ports, requests);
    if (!isAdmitted) continue;
    admittedAfter = asked;
    break;
  }
  const triedFor = ports.now() - hungUp;
  const admitted = streams.length;
  return { admitted, refusedFor, refusals, admittedAfter, triedFor, naturalRest, namesInFlight };
};

const slotOf = async (
  ports: HangUpPorts,
  requests: HangUpRequests,
  took: number,
): Promise<SlotFacts | Unseen> => {
  const { streams, refusal } = await fillKey(ports, requests);
  try {
    if (refusal === null)
      return unseen(
        `${streams.length} streams of the key ran at the same time, and none was refused`,
      );
    if (streams.length === 0) return whyFailed('a streamed chat', refusal);
    const reason = otherLimit(refusal);
    return reason === null ? await examineSlot(ports, requests, streams, took) : unseen(reason);
  } finally {
    for (const stream of streams) stream.hangUp();
  }
};

/**
 * Hangs up from streams. Compares what follows with a whole answer, and with the time before the hang-up, in which the
 * key admitted no more.
 */
export const examineHangUps = async (
  ports: HangUpPorts,
  requests: HangUpRequests,
): Promise<HangUpFacts> => {
  const measured = await measureStreams(ports, requests);
  if ('unseen' in measured) return { slot: measured, generation: measured, charge: measured };
  const { generation, took } = measured;
  return { slot: await slotOf(ports, requests, took), generation, charge: chargeOf(measured) };
};
