/**
 * This file defines the figures that servers report in their metrics, for reports and objectives.
 * `record/server-sources.ts` names the metrics.
 */

interface ServerFigure {
  readonly label: string;
  readonly unit: 'requests' | '%' | 'ms' | '/s';
  readonly definition: string;
  /** `true` if a reading lacks the figure when no request came after the previous reading. */
  readonly isOfRequests?: true;
}

export const serverFigures = {
  running: { label: 'Running', unit: 'requests', definition: 'Requests that the server works on.' },
  waiting: {
    label: 'Waiting',
    unit: 'requests',
    definition: 'Requests in the server’s own queue.',
  },
  cacheUse: { label: 'Cache use', unit: '%', definition: 'The share of the KV cache in use.' },
  prefixHits: {
    label: 'Prefix hits',
    unit: '%',
    definition:
      'Prompt tokens found in the prefix cache, of those looked up since the last reading.',
    isOfRequests: true,
  },
  queueTime: {
    label: 'Queue time',
    unit: 'ms',
    definition: 'Mean time in the server’s queue of the requests since the last reading.',
    isOfRequests: true,
  },
  inputTokens: { label: 'Input tokens', unit: '/s', definition: 'Prompt tokens read per second.' },
  outputTokens: {
    label: 'Output tokens',
    unit: '/s',
    definition: 'Tokens generated per second.',
  },
} as const satisfies Record<string, ServerFigure>;

export type ServerFigureName = keyof typeof serverFigures;
export const serverFigureNames = Object.keys(serverFigures) as readonly ServerFigureName[];

export const isOfRequests = (name: string): boolean =>
  Object.hasOwn(serverFigures, name) && 'isOfRequests' in serverFigures[name as ServerFigureName];

/** Returns the unit of a figure; `number` if the scenario defines the figure. */
export const unitOfServerFigure = (name: string): ServerFigure['unit'] | 'number' =>
  Object.hasOwn(serverFigures, name) ? serverFigures[name as ServerFigureName].unit : 'number';

export const labelOfServerFigure = (name: string): string =>
  Object.hasOwn(serverFigures, name) ? serverFigures[name as ServerFigureName].label : name;
