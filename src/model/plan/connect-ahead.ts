import { type Plan, saturateLoadOf } from './plan.ts';

/**
 * Returns whether connections are opened before their requests are due. Connections are opened early only with the
 * socket transport, without a pace, and without a saturating load. Connections are never opened early if every request
 * opens a new connection, or if an objective is on the time to connect.
 */
export const connectsAhead = (plan: Plan): boolean =>
  plan.wire.connectAhead === true &&
  plan.wire.reuse !== false &&
  plan.pace === null &&
  plan.transport === 'socket' &&
  saturateLoadOf(plan) === null &&
  !plan.objectives.some(({ figure }) => figure.name === 'connect') &&
  !plan.perRequest.some(({ measure }) => measure === 'connect');
