import type { RequestListener } from 'node:http';
import { preflightId, requestIdHeader, routes } from '../contract/routes.ts';
import { listModels } from './catalogue.ts';
import { answerChat } from './chat.ts';
import type { MockClock } from './clock.ts';
import type { Ledger, Purchase } from './credits.ts';
import { beginEra, continueEra, type Era, type KeyState, keyStates } from './era.ts';
import { Exchange } from './exchange.ts';
import type { Handler } from './handler.ts';
import { showFault } from './faults/show.ts';
import { type Behaviour, behaviourOf, changeBehaviour } from './behaviour.ts';
import { askLimits, carryLimits } from './limit-gate.ts';
import type { Allowance, LimitHeaders, Stopped } from './limits/allowance.ts';
import { limitedAnswer } from './limits/limited-answer.ts';
import type { Settings } from './settings.ts';
import { answerSpeech } from './speech.ts';
import { stampSends } from './send-stamps.ts';
import { counters, emptyTally, type RouteName } from './tally.ts';
import { answerTranscription } from './transcription.ts';
import type { TruthLog } from './truth.ts';

/** The version segment of the base address (interface section 9). */
export const basePath = '/v1';

const handlers = {
  chat: answerChat,
  speech: answerSpeech,
  transcription: answerTranscription,
  models: ({ exchange, settings }) =>
    exchange.answer('completed.models', 200, listModels(settings)),
} as const satisfies Record<RouteName, Handler>;

const routesByPath = new Map(
  (Object.keys(routes) as RouteName[]).map((name) => [basePath + routes[name].path, name]),
);

interface World {
  readonly settings: Settings;
  readonly clock: MockClock;
}

/** The public interface without its socket, and what the control interface may do with it. */
export interface Gateway {
  readonly receive: RequestListener;
  counters(): Record<string, number>;
  ledger(): Ledger;
  /** Sets all counters to zero, empties the ledger and gives every key its full limits and credits. */
  reset(): void;
  /** How the mock behaves now: the settings that can be changed while it runs. */
  behaviour(): Behaviour;
  /**
   * Changes the behaviour from the next request on; a sentence tells what is wrong with a change that
   * is not made. Changed limits begin full, a changed balance is given to each key.
   */
  change(settings: unknown): string | null;
  /** What each key has under way and left. */
  state(): readonly KeyState[];
  /** What is kept in memory of the truth, or `null` where none is kept. */
  truth(): ReturnType<TruthLog['recent']> | null;
  /** Ends every open request. */
  stop(): void;
}

const bearer = /^bearer +(\S+) *$/i;

/** The route that is asked, or `null` when the request was refused for its path or method. */
const findRoute = (exchange: Exchange): RouteName | null => {
  const { method = '', url = '' } = exchange.request;
  const path = url.split('?', 1)[0] ?? '';
  const route = routesByPath.get(path);
  if (route === undefined) {
    const message = `There is nothing at ${path}; the interface is below ${basePath}.`;
    exchange.refuse({ cause: 'not-found', message });
    return null;
  }
  const expected = routes[route].method;
  if (method !== expected) {
    const message = `${path} is asked with ${expected}, not with ${method}.`;
    exchange.refuse({ cause: 'wrong-method', message }, { allow: expected });
    return null;
  }
  return route;
};

/** Who asks: a key, its place in the settings, and its limits. */
interface Caller {
  readonly key: string;
  readonly owner: number;
  readonly allowance: Allowance;
}

/** The key that the request is signed with, or `null` when it was refused for want of a valid one. */
const findCaller = (exchange: Exchange, era: Era, settings: Settings): Caller | null => {
  const key = bearer.exec(exchange.request.headers.authorization ?? '')?.[1];
  const allowance = key === undefined ? undefined : era.allowances.get(key);
  if (key !== undefined && allowance !== undefined) {
    return { key, owner: settings.keys.indexOf(key), allowance };
  }
  const message =
    key === undefined
      ? 'No API key came; send it as "Authorization: Bearer <API_KEY>".'
      : 'The API key is not valid.';
  exchange.refuse({ cause: 'unauthorized', message }, { 'www-authenticate': 'Bearer' });
  return null;
};

/** Whether the key has credits left; a request without any was refused. */
const canPay = (exchange: Exchange, balance: number | null): boolean => {
  if (balance === null || balance > 0) return true;
  const message = 'The credits of this API key are used up; add credits to go on.';
  exchange.refuse({ cause: 'no-credits', message });
  return false;
};

/** Checks in the order path, method, key, credits, limits; the handler then looks at the parameters. */
const admit = (exchange: Exchange, era: Era, world: World): void => {
  const route = findRoute(exchange);
  if (route === null) return;
  const caller = findCaller(exchange, era, world.settings);
  if (caller === null) return;
  const { key, owner, allowance } = caller;
  const { clock } = world;
  const { witness } = exchange;
  const carry = carryLimits(exchange, route, era.limits);
  carry(allowance.headers(clock.now()));
  exchange.owner = owner;
  witness?.note({ kind: route });
  const fault = era.chooseFault(route, exchange);
  if (fault !== null && 'cause' in fault) {
    exchange.refuse(fault);
    return;
  }
  if (fault?.fault.place === 'gate') {
    showFault(fault, exchange, clock);
    return;
  }
  if (!canPay(exchange, era.books.balance(owner))) return;
  const limited = (stopped: Stopped & { readonly headers: LimitHeaders }): void => {
    carry(stopped.headers);
    const { body, headers } = limitedAnswer(stopped, era.limits, { key, route }, clock);
    exchange.answer(`limited.${stopped.cause}`, 429, body, headers);
  };
  const permit = askLimits(exchange, allowance, { route, era, clock });
  carry(permit.headers);
  if (!permit.admitted) {
    limited(permit);
    return;
  }
  exchange.onEnd(() => permit.end());
  era.tally.admitted[route] += 1;
  witness?.note({ admitted: true });
  const buy = (purchase: Purchase): void => {
    witness?.note({ kind: purchase.kind, micros: purchase.micros });
    exchange.tally.billed.micros += purchase.micros;
    era.books.charge(owner, exchange.id, purchase);
  };
  const answer = (): void => {
    if (fault !== null) showFault(fault, exchange, clock);
    if (fault?.fault.place === 'answer') return;
    const { serving } = era;
    handlers[route]({ exchange, key, permit, limited, buy, serving, ...world });
  };
  if (permit.startsAt <= clock.now()) answer();
  else exchange.onInterruption(clock.at(permit.startsAt, answer));
};

/** A gateway with full limits and nothing counted. */
export const openGateway = (
  initial: Settings,
  clock: MockClock,
  truthLog: TruthLog | null,
): Gateway => {
  let settings = initial;
  let era = beginEra(settings, clock);
  let serial = 0;
  const open = new Set<Exchange>();
  const enter = (exchange: Exchange): void => {
    open.add(exchange);
    exchange.onClose(() => open.delete(exchange));
    exchange.witness = truthLog?.watch(exchange, clock) ?? null;
    if (settings.sendStamps) exchange.shapeStream(stampSends(clock));
  };
  return {
    receive: (request, response) => {
      serial += 1;
      const isPreflight = request.headers[requestIdHeader] === preflightId;
      if (isPreflight) era.tally.preflights += 1;
      const tally = isPreflight ? emptyTally() : era.tally;
      const exchange = new Exchange({ request, response }, clock, tally, `mock-${serial}`);
      enter(exchange);
      admit(exchange, era, { settings, clock });
    },
    counters: () => counters(era.tally),
    ledger: () => era.books.ledger(),
    reset: () => {
      era = beginEra(settings, clock);
    },
    behaviour: () => behaviourOf(settings),
    change: (wanted) => {
      const changed = changeBehaviour(behaviourOf(settings), wanted);
      if ('problem' in changed) return changed.problem;
      const before = settings;
      settings = { ...settings, ...changed.behaviour };
      era = continueEra(era, { before, after: settings }, clock);
      return null;
    },
    state: () => keyStates(era, open, clock.now()),
    truth: () => truthLog?.recent() ?? null,
    stop: () => {
      for (const exchange of open) if (exchange.isOpen) exchange.cut();
    },
  };
};
