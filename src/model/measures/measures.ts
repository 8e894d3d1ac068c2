import { audioMeasures } from './audio-measures.ts';
import { chatMeasures } from './chat-measures.ts';
import { readyAt } from '../observation/attempt.ts';
import { answerMeasure, fromCompleted, type Measure, span } from './measure.ts';
import { attemptsOf } from '../observation/observation.ts';
import { trafficKinds } from '../workload/traffic.ts';

/**
 * One table of everything that Weir measures per request. Recorders, objectives, comparison and
 * reports read it; a new measure is one row. Only completed requests have samples; failures are
 * counted by outcome and included in every rate.
 */
export const measures = {
  ...chatMeasures,
  ...audioMeasures,
  endToEnd: {
    label: 'End to end',
    short: 'End to end',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition:
      'From due to the last token of a stream, or to the end of any other answer, over all attempts.',
    of: fromCompleted(({ due, ended }, answer) =>
      span(due, answer.kind === 'chat-stream' ? (answer.lastToken ?? ended) : ended),
    ),
  },
  serviceTime: {
    label: 'Service time',
    short: 'Service time',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition:
      'From sent to ended: the time of server and network. After retries, that of the last attempt.',
    of: fromCompleted(({ sent, ended }) => span(sent, ended)),
  },
  headers: {
    label: 'Time to headers',
    short: 'To headers',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition: 'From sent to the complete response head.',
    of: fromCompleted(({ sent, head }) => span(sent, head?.at ?? null)),
  },
  connect: {
    label: 'Connect time',
    short: 'Connect',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition: 'From begun to an established connection; new connections only.',
    of: fromCompleted(({ begun, connected, connection }) =>
      connection === 'new' ? span(begun, connected) : null,
    ),
  },
  retryWait: {
    label: 'Waited to retry',
    short: 'Waited to retry',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition:
      'Sum of the waits before further attempts: as long as the server asked for, otherwise Weir’s backoff. Only of requests with retries.',
    of: fromCompleted(({ earlier }) =>
      earlier.length === 0 ? null : earlier.reduce((sum, { wait }) => sum + wait, 0),
    ),
  },
  paceWait: {
    label: 'Waited for the pace',
    short: 'Pace wait',
    unit: 'ms',
    better: 'lower',
    traffic: trafficKinds,
    definition:
      'From ready to released, over all attempts: the wait for a free place within the limits. Only of plans with a pace.',
    of: fromCompleted((observation) =>
      observation.reserved === null
        ? null
        : attemptsOf(observation).reduce(
            (sum, { released }, attempt) => sum + released - readyAt(observation, attempt),
            0,
          ),
    ),
  },
  catalogue: answerMeasure(
    'models',
    ['Models listed', 'Models listed', 'models', 'neither'],
    'Entries of the model list.',
    (answer) => answer.models,
  ),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as readonly MeasureName[];
