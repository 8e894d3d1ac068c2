import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { preflightId, requestIdHeader, routes } from '../../contract/routes.ts';
import { findModel, listModels } from '../http/model-list.ts';
import { answerChat } from '../chat/chat.ts';
import { type ResponseClass, resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import {
  type CreditCharge,
  flattenCounters,
  emptyMockCounters,
  type RouteName,
  openCreditAccounts,
} from '../counters/mock-counters.ts';
import { sendServerMetrics } from './server-metrics.ts';
import {
  MockExchange,
  addSendTimestamps,
  type AdmittedRequest,
  type Handler,
} from '../http/mock-exchange.ts';
import { applyFault, openFaultChooser } from '../faults/choose-fault.ts';
import {
  type Admission,
  type KeyLimiter,
  type LimitExceeded,
  type LimitHeaders,
  openKeyLimiter,
  type Permit,
} from '../limits/key-limiter.ts';
import type { TokenCharge } from '../limits/token-limiter.ts';
import { openTokenLedger } from '../counters/token-ledger.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import { limitedAnswer } from '../limits/limited-answer.ts';
import { behaviourOf, changeBehaviour, type Settings } from '../settings/settings.ts';
import { answerSpeech } from '../audio/speech.ts';
import { answerTranscription } from '../audio/transcription.ts';
import type { RequestTraceLog } from '../http/request-trace.ts';
import { openServing } from '../serving/serving.ts';

const openKeyLimiters = ({ keys, seed, limits: limitSettings }: Settings, clock: MockClock) => {
  const limits = resolveMockLimits(limitSettings);
  // Aligned limiters begin their windows at multiples of the window length on the wall clock.
  const phase = (clock.now() - clock.wall()) % limits.window;
  const limiters = keys.map((key, i) => [key, openKeyLimiter(limits, phase, seed + i)] as const);
  return { limits, keyLimiters: new Map(limiters) };
};

const startCounterEpoch = (settings: Settings, clock: MockClock) => ({
  counters: emptyMockCounters(),
  ...openKeyLimiters(settings, clock),
  serving: openServing(settings, clock),
  creditAccounts: openCreditAccounts(settings.credits),
  tokenLedger: openTokenLedger(settings.credits),
  chooseFault: openFaultChooser(settings),
});

/** The state between two resets. A request that is in flight at a reset belongs to the old epoch. */
type CounterEpoch = ReturnType<typeof startCounterEpoch>;

/**
 * Applies changed settings to an epoch. The parts of an epoch are the limits, the balances, the servers and the faults.
 * Each part whose settings have changed starts anew.
 */
const applySettingsChange = (
  epoch: CounterEpoch,
  { before, after }: { readonly before: Settings; readonly after: Settings },
  clock: MockClock,
): CounterEpoch => {
  if (before.credits.balance !== after.credits.balance)
    epoch.creditAccounts.setBalance(after.credits.balance);
  if (before.credits.ledger !== after.credits.ledger)
    for (const ledger of [epoch.creditAccounts, epoch.tokenLedger])
      ledger.setLedgerSize(after.credits.ledger);
  const isUnchanged = (...fields: readonly (keyof Settings)[]): boolean =>
    fields.every((field) => JSON.stringify(before[field]) === JSON.stringify(after[field]));
  return {
    ...epoch,
    ...(isUnchanged('limits') ? {} : openKeyLimiters(after, clock)),
    ...(isUnchanged('latency', 'ttft', 'gap', 'promptCache')
      ? {}
      : { serving: openServing(after, clock) }),
    ...(isUnchanged('faults', 'faultHeader') ? {} : { chooseFault: openFaultChooser(after) }),
  };
};

/** The version segment of the base address (interface section 9). */
export const basePath = '/v1';

const handlers = {
  chat: answerChat,
  speech: answerSpeech,
  transcription: answerTranscription,
  models: ({ exchange, settings }) => {
    const id = modelIdIn(pathOf(exchange.request));
    const body = id === null ? listModels(settings) : findModel(id, settings);
    exchange.answerJson('completed.models', 200, body);
  },
} as const satisfies Record<RouteName, Handler>;

const routesByPath = new Map(
  (Object.keys(routes) as RouteName[]).map((name) => [basePath + routes[name].path, name]),
);

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/**
 * Decides whether a request asks for metrics. As in inference servers, the metrics are at the root of the address and
 * need no key. Requests for metrics are not counted.
 */
const asksForMetrics = (request: IncomingMessage, { metrics }: Settings): boolean =>
  metrics && request.method === 'GET' && pathOf(request) === '/metrics';

const modelPath = `${basePath}${routes.models.path}/`;

/**
 * Returns the id in a path such as `/models/weir/small`; `null` for other paths. Some clients write %2F for the slash
 * in the id.
 */
const modelIdIn = (path: string): string | null => {
  if (!path.startsWith(modelPath) || path === modelPath) return null;
  const id = path.slice(modelPath.length);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

const bearer = /^bearer +(\S+) *$/i;

const findRoute = (request: IncomingMessage): RouteName => {
  const { method } = request;
  const path = pathOf(request);
  const route = modelIdIn(path) === null ? routesByPath.get(path) : 'models';
  if (route === undefined) {
    const message = `There is no endpoint at ${path}; all paths begin with ${basePath}.`;
    throw new RequestRefusal('not-found', message);
  }
  const expected = routes[route].method;
  if (method === expected) return route;
  const message = `${path} expects ${expected}, not ${method}.`;
  throw new RequestRefusal('wrong-method', message, { allow: expected });
};

/** Returns a request's key, the key's index in the settings, and its limits. Refuses a request without a valid key. */
const findCaller = (
  { headers }: IncomingMessage,
  { keyLimiters }: CounterEpoch,
  { keys, keyHeader }: Settings,
) => {
  const sent = headers[keyHeader];
  const text = typeof sent === 'string' ? sent : '';
  const isBearer = keyHeader === 'authorization';
  const key = isBearer ? bearer.exec(text)?.[1] : text.trim() || undefined;
  const limiter = keyLimiters.get(key ?? '');
  if (key !== undefined && limiter) return { key, keyIndex: keys.indexOf(key), limiter };
  const message =
    key === undefined
      ? `The API key is missing; send it as "${isBearer ? 'Authorization: Bearer' : `${keyHeader}:`} <API_KEY>".`
      : 'The API key is not valid.';
  throw new RequestRefusal('unauthorized', message, { 'www-authenticate': 'Bearer' });
};

/** Returns the class of a response. For each class, the settings decide whether its responses have limit headers. */
const responseClassOf = (route: RouteName, status: number, contentType: string): ResponseClass => {
  if (status === 429) return 'limited';
  if (status >= 400) return 'refused';
  return route === 'chat' && contentType.startsWith('text/event-stream') ? 'chat-stream' : route;
};

/** Returns the permit of a request that does not count against a limit. */
const freePermit = (now: number, headers: LimitHeaders): Permit => ({
  admitted: true,
  startsAt: now,
  headers,
  reserve: () => null,
  firstToken: () => undefined,
  charge: () => undefined,
  end: () => undefined,
});

const checkKeyLimits = (
  { trace, id: requestId, keyIndex, connection }: MockExchange,
  { limits, tokenLedger }: CounterEpoch,
  limiter: KeyLimiter,
  route: RouteName,
  now: number,
): Admission => {
  if ((limits.uncounted as readonly string[]).includes(route))
    return freePermit(now, limiter.headers(now, connection));
  const before = trace === null ? null : limiter.levels(now);
  const charges: TokenCharge[] = [];
  const record = (charge: TokenCharge): void => {
    charges.push(charge);
    tokenLedger.add({ requestId, key: keyIndex!, charge });
  };
  const admission = limiter.admit(now, record, connection);
  if (before !== null)
    trace?.setFields({ charges, limits: { before, after: limiter.levels(now) } });
  return admission;
};

/** Checks path, method, key, credits and limits in this order. The handler of the route checks the parameters later. */
const admit = (
  exchange: MockExchange,
  epoch: CounterEpoch,
  context: Pick<AdmittedRequest, 'settings' | 'clock'>,
): void => {
  const { request, trace } = exchange;
  const { settings, clock } = context;
  const { limits } = epoch;
  const route = findRoute(request);
  const { key, keyIndex, limiter } = findCaller(request, epoch, settings);
  const setLimitHeaders = (headers: LimitHeaders): void => {
    const shownOn: readonly ResponseClass[] = limits.headersOn;
    const extraHeaders: MockExchange['extraHeaders'] = (status, contentType) =>
      shownOn.includes(responseClassOf(route, status, contentType)) ? headers : {};
    exchange.extraHeaders = extraHeaders;
  };
  setLimitHeaders(limiter.headers(clock.now(), exchange.connection));
  exchange.keyIndex = keyIndex;
  trace?.setFields({ kind: route });
  const fault = epoch.chooseFault(route, exchange);
  if (fault?.scope === 'gate') return applyFault(fault, exchange, clock);
  const balance = epoch.creditAccounts.balance(keyIndex);
  if (balance !== null && balance <= 0) {
    const message = 'The credits of this API key are used up; add credits to continue.';
    throw new RequestRefusal('no-credits', message);
  }
  const refuseByLimit = (exceeded: LimitExceeded): void => {
    setLimitHeaders(exceeded.headers);
    const { body, headers } = limitedAnswer(exceeded, limits, { key, route }, clock);
    exchange.answerJson(`limited.${exceeded.cause}`, 429, body, headers);
  };
  const permit = checkKeyLimits(exchange, epoch, limiter, route, clock.now());
  setLimitHeaders(permit.headers);
  if (!permit.admitted) return refuseByLimit(permit);
  const endPermit = (): void => permit.end();
  exchange.onEnd = endPermit;
  epoch.counters.admitted[route] += 1;
  trace?.setFields({ admitted: true });
  const bill = (charge: CreditCharge): void => {
    trace?.setFields({ kind: charge.kind, micros: charge.micros });
    exchange.counters.billed.micros += charge.micros;
    epoch.creditAccounts.charge(keyIndex, exchange.id, charge);
  };
  const answer = (): void => {
    if (fault !== null) applyFault(fault, exchange, clock);
    if (fault?.scope === 'answer') return;
    const { serving } = epoch;
    handlers[route]({ exchange, key, permit, refuseByLimit, bill, serving, ...context });
  };
  if (permit.startsAt <= clock.now()) answer();
  else exchange.onInterruption = clock.at(permit.startsAt, answer);
};

const ledgerAt = ({ keyLimiters, creditAccounts, tokenLedger }: CounterEpoch, now: number) => {
  // Reading the levels also writes the charges that are due by now.
  for (const limiter of keyLimiters.values()) limiter.levels(now);
  return { ...creditAccounts.ledger(), tokens: tokenLedger.ledger() };
};

/** Returns a function that numbers connections in the order of their first requests. */
const connectionNumbers = (): ((socket: Socket) => number) => {
  const numbers = new WeakMap<Socket, number>();
  let next = 0;
  return (socket) => {
    const number = numbers.get(socket) ?? next;
    if (number === next) next += 1;
    numbers.set(socket, number);
    return number;
  };
};

export type Gateway = ReturnType<typeof openGateway>;

export const openGateway = (
  initial: Settings,
  clock: MockClock,
  traceLog: RequestTraceLog | null,
) => {
  let settings = initial;
  let epoch = startCounterEpoch(settings, clock);
  let serial = 0;
  const open = new Set<MockExchange>();
  const numberOf = connectionNumbers();
  const receive: RequestListener = (request, response) => {
    if (asksForMetrics(request, settings))
      return sendServerMetrics(response, settings, epoch.serving);
    serial += 1;
    const isPreflight = request.headers[requestIdHeader] === preflightId;
    if (isPreflight) epoch.counters.preflights += 1;
    const counters = isPreflight ? emptyMockCounters() : epoch.counters;
    const exchange = new MockExchange({ request, response }, clock, counters, `mock-${serial}`);
    exchange.connection = numberOf(request.socket);
    open.add(exchange);
    const forget = (): void => void open.delete(exchange);
    exchange.onClose = forget;
    exchange.trace = traceLog?.startTrace(exchange, clock) ?? null;
    if (settings.sendStamps) exchange.wrapStream(addSendTimestamps(clock));
    exchange.attempt(() => admit(exchange, epoch, { settings, clock }));
  };
  return {
    receive,
    counters: () => flattenCounters(epoch.counters),
    ledger: () => ledgerAt(epoch, clock.now()),
    /** Sets all counters to zero, empties the ledgers, and resets the limits and credits of every key. */
    reset: () => {
      epoch = startCounterEpoch(settings, clock);
    },
    behaviour: () => behaviourOf(settings),
    /**
     * Changes the behaviour from the next request on. Returns an error message for an invalid change; otherwise `null`.
     */
    changeSettings: (change: unknown): string | null => {
      const changed = changeBehaviour(behaviourOf(settings), change);
      if ('problem' in changed) return changed.problem;
      const before = settings;
      settings = { ...settings, ...changed.behaviour };
      epoch = applySettingsChange(epoch, { before, after: settings }, clock);
      return null;
    },
    /** Returns the state of every key, in the order of the settings. Balances are in micro-units. */
    state: () =>
      [...epoch.keyLimiters.values()].map((limiter, key) => ({
        key,
        inFlight: [...open].filter(({ isOpen, keyIndex }) => isOpen && keyIndex === key).length,
        limits: limiter.levels(clock.now()),
        balance: epoch.creditAccounts.balance(key),
      })),
    requestTraces: () => traceLog?.recent() ?? null,
    stop: () => {
      for (const exchange of open) if (exchange.isOpen) exchange.closeForShutdown();
    },
  };
};
