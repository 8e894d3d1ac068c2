import type { RequestListener } from 'node:http';
import { preflightId, requestIdHeader, routes } from '../contract/routes.ts';
import { type CompleteLimits, completeLimits } from '../model/mock-limits.ts';
import { listModels } from './catalogue.ts';
import { answerChat } from './chat.ts';
import type { MockClock } from './clock.ts';
import { Exchange } from './exchange.ts';
import type { Handler } from './handler.ts';
import { type Allowance, freshAllowance, type Permit, type Stopped } from './limits/allowance.ts';
import { limitedAnswer } from './limits/limited-answer.ts';
import { responseClassOf } from './limits/response-class.ts';
import { openServing, type Serving } from './serving/serving.ts';
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
  readonly limits: CompleteLimits;
  readonly serving: Serving;
  readonly clock: MockClock;
}

/** What is counted together: a reset begins a new era, and what is in flight then stays with the old one. */
interface Era {
  readonly tally: Tally;
  readonly allowances: ReadonlyMap<string, Allowance>;
}

/** The public interface without its socket, and what the control interface may do with it. */
export interface Gateway {
  readonly receive: RequestListener;
  counters(): Record<string, number>;
  /** Sets all counters to zero and gives every key its full limits. */
  reset(): void;
  /** Ends every open request. */
  stop(): void;
}

/** What is not limited goes on at once and is charged nothing. */
const uncounted: Permit = {
  admitted: true,
  startsAt: Number.NEGATIVE_INFINITY,
  reserve: () => null,
  charge: () => undefined,
  end: () => undefined,
};

const bearer = /^bearer +(\S+) *$/i;

/** Checks in the order path, method, key, limits; the handler then looks at the parameters. */
const admit = (exchange: Exchange, era: Era, world: World): void => {
  const { settings, limits, serving, clock } = world;
  const { method = '', url = '', headers } = exchange.request;
  const path = url.split('?', 1)[0] ?? '';
  const route = routesByPath.get(path);
  if (route === undefined) {
    const message = `There is nothing at ${path}; the interface is below ${basePath}.`;
    exchange.refuse({ cause: 'not-found', message });
    return;
  }
  const expected = routes[route].method;
  if (method !== expected) {
    const message = `${path} is asked with ${expected}, not with ${method}.`;
    exchange.refuse({ cause: 'wrong-method', message }, { allow: expected });
    return;
  }
  const key = bearer.exec(headers.authorization ?? '')?.[1];
  const allowance = key === undefined ? undefined : era.allowances.get(key);
  if (key === undefined || allowance === undefined) {
    const message =
      key === undefined
        ? 'No API key came; send it as "Authorization: Bearer <API_KEY>".'
        : 'The API key is not valid.';
    exchange.refuse({ cause: 'unauthorized', message }, { 'www-authenticate': 'Bearer' });
    return;
  }
  const isCounted = !(limits.uncounted as readonly string[]).includes(route);
  const { headers: told, ...admission } = isCounted
    ? allowance.ask(clock.now())
    : { ...uncounted, headers: {} };
  exchange.carry((status, contentType) => {
    const shown = responseClassOf(route, status, contentType);
    return (limits.headersOn as readonly string[]).includes(shown) ? told : {};
  });
  const limited = (stopped: Stopped): void => {
    const { body, headers: when } = limitedAnswer(stopped, limits, { key, route }, clock);
    exchange.answer(`limited.${stopped.cause}`, 429, body, when);
  };
  if (!admission.admitted) {
    limited(admission);
    return;
  }
  exchange.onEnd(() => admission.end());
  era.tally.admitted[route] += 1;
  const handle = (): void =>
    handlers[route]({ exchange, key, permit: admission, limited, serving, settings, clock });
  if (admission.startsAt <= clock.now()) handle();
  else exchange.onInterruption(clock.at(admission.startsAt, handle));
};

/** A gateway with full limits and nothing counted. */
export const openGateway = (settings: Settings, clock: MockClock): Gateway => {
  const limits = completeLimits(settings.limits);
  // Windows on the clock begin where the wall clock's begin.
  const phase = (clock.now() - clock.wall()) % limits.window;
  const newEra = (): Era => ({
    tally: emptyTally(),
    allowances: new Map(settings.keys.map((key) => [key, freshAllowance(limits, phase)])),
  });
  const serving = openServing(settings, clock);
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
      admit(exchange, era, { settings, limits, serving, clock });
    },
    counters: () => counters(era.tally),
    reset: () => {
      era = newEra();
    },
    stop: () => {
      for (const exchange of open) if (exchange.isOpen) exchange.cut();
    },
  };
};
