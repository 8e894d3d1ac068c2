import { type Plan, saturateLoadOf } from './plan.ts';

/**
 * Whether connections are opened before their requests are due. `undici`, a pace and a saturating load cannot do that. It is also off if
 * an objective is about connect times, since too few would be measured, and if each request opens a new connection, since that is then
 * part of what is measured.
 */
export const connectsAhead = (plan: Plan): boolean =>
  plan.wire.connectAhead === true &&
  plan.wire.reuse !== false &&
  plan.pace === null &&
  plan.transport === 'socket' &&
  saturateLoadOf(plan) === null &&
  !plan.objectives.some(({ figure }) => figure.name === 'connect') &&
  !plan.perRequest.some(({ measure }) => measure === 'connect');
