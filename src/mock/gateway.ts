import type { RequestListener } from 'node:http';
import { documentedErrors } from '../contract/failure.ts';
import { preflightId, requestIdHeader, routes } from '../contract/routes.ts';
import { type Allowance, freshAllowance } from './allowance.ts';
import { listModels } from './catalogue.ts';
import { answerChat } from './chat.ts';
import type { MockClock } from './clock.ts';
import { type Books, type Ledger, openBooks, type Purchase } from './credits.ts';
import { Exchange } from './exchange.ts';
import type { Handler } from './handler.ts';
import { errorBody } from './refusal.ts';
import type { Settings } from './settings.ts';
import { answerSpeech } from './speech.ts';
import { counters, emptyTally, type RouteName, type Tally } from './tally.ts';
import { answerTranscription } from './transcription.ts';

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

/** What is counted together: a reset begins a new era, and what is in flight then stays with the old one. */
interface Era {
  readonly tally: Tally;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly books: Books;
}

/** The public interface without its socket, and what the control interface may do with it. */
export interface Gateway {
  readonly receive: RequestListener;
  counters(): Record<string, number>;
  ledger(): Ledger;
  /** Sets all counters to zero, empties the ledger and gives every key its full limits and credits. */
  reset(): void;
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

/** Whether the limits let the request through; one that they stop was answered. */
const isWithinLimits = (exchange: Exchange, allowance: Allowance, world: World): boolean => {
  const now = world.clock.now();
  const admission = allowance.ask(now);
  exchange.carry(allowance.headers(now));
  if (admission.admitted) return true;
  const { cause, limit, level } = admission;
  const seconds = Math.max(1, Math.ceil((level.resetAt - now) / 1000));
  const message = `Rate limit reached: ${limit} ${cause} per ${world.settings.limits.window / 1000} s for this key. Try again in ${seconds} s.`;
  exchange.answer(`limited.${cause}`, 429, errorBody(documentedErrors[429], message), {
    'retry-after': String(seconds),
  });
  return false;
};

/** Checks in the order path, method, key, credits, limits; the handler then looks at the parameters. */
const admit = (exchange: Exchange, era: Era, world: World): void => {
  const route = findRoute(exchange);
  if (route === null) return;
  const caller = findCaller(exchange, era, world.settings);
  if (caller === null) return;
  const { key, owner, allowance } = caller;
  if (!canPay(exchange, era.books.balance(owner))) return;
  if (!isWithinLimits(exchange, allowance, world)) return;
  era.tally.admitted[route] += 1;
  const buy = (purchase: Purchase): void => {
    exchange.tally.billed.micros += purchase.micros;
    era.books.charge(owner, exchange.id, purchase);
  };
  handlers[route]({ exchange, key, allowance, buy, ...world });
};

/** A gateway with full limits and nothing counted. */
export const openGateway = (settings: Settings, clock: MockClock): Gateway => {
  const newEra = (): Era => ({
    tally: emptyTally(),
    allowances: new Map(settings.keys.map((key) => [key, freshAllowance(settings.limits)])),
    books: openBooks(settings.credits),
  });
  let era = newEra();
  let serial = 0;
  const open = new Set<Exchange>();
  return {
    receive: (request, response) => {
      serial += 1;
      const isPreflight = request.headers[requestIdHeader] === preflightId;
      if (isPreflight) era.tally.preflights += 1;
      const tally = isPreflight ? emptyTally() : era.tally;
      const exchange = new Exchange({ request, response }, clock, tally, `mock-${serial}`);
      open.add(exchange);
      response.once('close', () => open.delete(exchange));
      admit(exchange, era, { settings, clock });
    },
    counters: () => counters(era.tally),
    ledger: () => era.books.ledger(),
    reset: () => {
      era = newEra();
    },
    stop: () => {
      for (const exchange of open) if (exchange.isOpen) exchange.cut();
    },
  };
};
