import { audioMeasures } from './audio-measures.ts';
import { chatMeasures } from './chat-measures.ts';
import { measuresOf, type Measure, span } from './measure.ts';
import { paceWaitOf, retryWaitOf } from '../observation/observation.ts';
import { trafficKinds } from '../workload/traffic.ts';

const request = measuresOf(...trafficKinds);

/**
 * One table of everything that Weir measures per request. Recorders, objectives, comparison and
 * reports read it; a new measure is one row. Only completed requests have samples; failures are
 * counted by outcome and included in every rate.
 */
export const measures = {
  ...chatMeasures,
  ...audioMeasures,
  endToEnd: request(
    ['End to end', 'End to end', 'ms', 'lower'],
    'From due to the last token of a stream, or to the end of any other answer, over all attempts.',
    (answer, { due, ended }) =>
      span(due, answer.kind === 'chat-stream' ? (answer.lastToken ?? ended) : ended),
  ),
  serviceTime: request(
    ['Service time', 'Service time', 'ms', 'lower'],
    'From sent to ended: the time of server and network. After retries, that of the last attempt.',
    (_, { sent, ended }) => span(sent, ended),
  ),
  headers: request(
    ['Time to headers', 'To headers', 'ms', 'lower'],
    'From sent to the complete response head.',
    (_, { sent, head }) => span(sent, head?.at ?? null),
  ),
  connect: request(
    ['Connect time', 'Connect', 'ms', 'lower'],
    'From begun to an established connection. Only of connections opened for their request, not ahead of it (wire.connectAhead); after a reconnect, from there on.',
    (_, { begun, reconnected, connected, connection }) =>
      connection === 'new' ? span(reconnected ?? begun, connected) : null,
  ),
  retryWait: request(
    ['Waited to retry', 'Waited to retry', 'ms', 'lower'],
    'Sum of the waits before further attempts: as long as the server asked for, otherwise Weir’s backoff. Only of requests with retries.',
    (_, observation) => retryWaitOf(observation),
  ),
  paceWait: request(
    ['Waited for the pace', 'Pace wait', 'ms', 'lower'],
    'From ready to released, over all attempts: the wait for a free place within the limits. Only of plans with a pace.',
    (_, observation) => paceWaitOf(observation),
  ),
  catalogue: measuresOf('models')(
    ['Models listed', 'Models listed', 'models', 'neither'],
    'Entries of the model list.',
    (answer) => answer.models,
  ),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as readonly MeasureName[];
