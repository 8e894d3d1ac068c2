import { type Plan, saturateLoadOf } from './plan.ts';

/**
 * Whether connections are opened before their requests are due. Not by `undici`, under a pace or by a load that saturates, which cannot;
 * not if an objective is about connect times, of which there would be few; and not if each request is to have a connection of its own, since
 * opening it is then part of what is measured.
 */
export const connectsAhead = (plan: Plan): boolean =>
  plan.wire.connectAhead === true &&
  plan.wire.reuse !== false &&
  plan.pace === null &&
  plan.transport === 'socket' &&
  saturateLoadOf(plan) === null &&
  !plan.objectives.some(({ figure }) => figure.name === 'connect') &&
  !plan.perRequest.some(({ measure }) => measure === 'connect');
