import { z } from 'zod';
import { transportNames } from '../../model/observation/exchange.ts';
import type { Target, ConnectionSettings } from '../../model/plan/plan.ts';
import { unixTarget } from '../../model/plan/unix-target.ts';
import {
  filledText,
  type IssueParams,
  mapping,
  textField,
  wholeNumberField,
  wholeNumberOrNoneField,
  withDefault,
} from './fields.ts';

/** This file contains the schema of a scenario's target, and of the connections to the target. */

/**
 * Returns the fault of a text that begins like an address. The result does not quote the text if the text contains `@`,
 * since a part that looks like a port may be a part of a password.
 */
const malformedAddressProblem = (text: string): string => {
  const [, authority = ''] = /^https?:\/*([^/?#\\]*)/i.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host === '') return 'the host name after // is missing';
  const [, port] = /:([^:\]]*)$/.exec(host) ?? [];
  const isPort =
    port === undefined || port === '' || (/^\d+$/.test(port) && Number(port) <= 65_535);
  return isPort
    ? 'the text after // is not a host name'
    : `its port is invalid: expected a number from 1 to 65535${text.includes('@') ? '' : `, got ${port}`}`;
};

/** Matches the names of query parameters that usually contain keys, signatures or other secrets. */
const secretParameter = /auth|key|token|secret|sig|password|credential|^code$/i;
/** Matches the values of query parameters that look like secrets. */
const secretParameterValue = /^(?:sk-|bearer\b|basic\b)/i;

/** Returns whether the query of an address may contain a key. */
export const queryHoldsSecret = ({ searchParams }: URL): boolean =>
  [...searchParams].some(
    ([name, value]) => secretParameter.test(name) || secretParameterValue.test(value),
  );

const unixExample = 'unix:/run/gateway.sock, or with a base path unix:/run/gateway.sock:/v1';

/**
 * The maximum length of the path of a Unix socket in bytes: the size of `sun_path` in Linux, minus one for the final
 * zero byte (unix(7)).
 */
const longestSocketPath = 107;

const problemOfQuery = (url: URL, mayHaveQuery: boolean): string | null => {
  if (!mayHaveQuery) return 'an address must not contain ?';
  return queryHoldsSecret(url)
    ? 'a key must not be in an address, which reports show: use "keys", with "auth" for another header'
    : null;
};

/**
 * Returns the problem of a text that cannot be an address because of its notation; `null` if the text may be an
 * address.
 */
const writingProblem = (text: string): string | null => {
  // Python's requests-unixsocket, nginx and got use other notations for addresses of Unix sockets.
  if (/^(?:unix:|https?\+unix:|https?:\/\/unix:)/i.test(text) && unixTarget(text) === null)
    return `an address of a Unix socket is written ${unixExample}`;
  if (/^[“”‘’]/.test(text)) return 'it has typographic quotation marks: write " or leave them out';
  // Matches a shell's `$NAME`, GitHub's `${{ env.NAME }}` and Jinja's `{{ NAME }}`.
  const [, variable] = /(?:^\$\{?|\{\{ *(?:\w+\.)?)(\w+)/.exec(text) ?? [];
  return variable === undefined ? null : `write \${env:${variable}} for the environment variable`;
};

/**
 * Returns the problem of a text as the address of a target; `null` if the address is right, or if the text does not
 * look like an address. The result never repeats the address, which may contain a password.
 */
const addressProblem = (text: string, url: URL | null, mayHaveQuery: boolean): string | null => {
  const written = writingProblem(text);
  if (written !== null) return written;
  if (url === null && /^https?:\/\//i.test(text)) return malformedAddressProblem(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return /[.:/]/.test(text) ? 'an address must begin with http:// or https://' : null;
  }
  if (url.username !== '' || url.password !== '') {
    return 'an address must not contain a user name or password';
  }
  if (url.hash !== '') return 'an address must not contain #';
  const queryProblem = url.search === '' ? null : problemOfQuery(url, mayHaveQuery);
  if (queryProblem !== null) return queryProblem;
  const endpoint = /\/(?:chat\/completions|completions|models|audio\/[a-z]+)\/*$/.exec(
    url.pathname,
  );
  return endpoint === null
    ? null
    : `write the base address, without ${endpoint[0].replace(/\/+$/, '')} at its end`;
};

/**
 * Returns what is wrong with the address of a server's metrics, or with a path on the target; `null` if there is no
 * problem.
 */
export const metricsAddressProblem = (text: string): string | null => {
  if (/^\/(?!\/)/.test(text)) return null;
  const expected =
    'expected an address such as http://host:8000/metrics, or a path such as /metrics';
  const url = URL.parse(text);
  const problem = addressProblem(text, url, true);
  if (problem !== null) return `${expected}; ${problem}`;
  return url === null ? expected : null;
};

/**
 * Returns a field for one of several words, or for an address. The field removes slashes from the end of the address's
 * path.
 */
const wordOrAddress = <Word extends string>(
  words: readonly Word[],
  expected: string,
  isTarget: boolean,
) =>
  z.string(expected).transform((value, context): { kind: Word } | { kind: 'url'; url: string } => {
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return { kind: word };
    const unix = isTarget ? unixTarget(value) : null;
    const url = URL.parse(unix === null ? value : `http://localhost${unix.rest}`);
    const socketPath = unix?.socketPath ?? '';
    const problem =
      Buffer.byteLength(socketPath) > longestSocketPath
        ? `the path of a Unix socket has at most ${longestSocketPath} bytes`
        : addressProblem(value, url, isTarget);
    if (url !== null && problem === null) {
      const path = `${url.pathname.replace(/\/+$/, '')}${url.search}`;
      if (unix === null) return { kind: 'url', url: `${url.origin}${path}` };
      return { kind: 'url', url: `unix:${socketPath}${path === '' ? '' : `:${path}`}` };
    }
    const params: IssueParams = { choices: words };
    const message = problem === null ? expected : `${expected}; ${problem}`;
    context.issues.push({ code: 'custom', message, input: value, params });
    return z.NEVER;
  });

export const targetSchema = wordOrAddress(
  ['mock', 'container'],
  'expected mock, container, or the address of a gateway such as https://gateway.example/v1',
  true,
) satisfies z.ZodType<Target>;

const proxy = wordOrAddress(
  ['environment', 'none'],
  'expected environment, none, or the address of a proxy such as http://proxy.example:3128',
  false,
) satisfies z.ZodType<ConnectionSettings['proxy']>;

export const authSchema = mapping('a mapping such as {header: api-key}', {
  header: filledText('expected the name of a header, for example api-key')
    .toLowerCase()
    .describe('The header that carries the key, without the word Bearer, for example api-key.'),
});

const endpointPath = textField().regex(
  /^\/(?!\/)[!-"$-~]*$/,
  'expected a path below the target’s address, such as /x/chat/completions, without spaces and #',
);

export const endpointsSchema = mapping('a mapping such as {chat: /x/chat/completions}', {
  chat: z.optional(endpointPath).describe('Default: /chat/completions.'),
  models: z.optional(endpointPath).describe('Default: /models.'),
  speech: z.optional(endpointPath).describe('Default: /audio/speech.'),
  transcription: z.optional(endpointPath).describe('Default: /audio/transcriptions.'),
});

const booleanField = (word: boolean) => withDefault(z.boolean('expected true or false'), word);

export const wireSchema = mapping('a mapping such as {verifyTls: false}', {
  http2: booleanField(false).describe('Whether to offer HTTP/2.'),
  proxy: withDefault(proxy, 'environment').describe(
    'The proxy: "environment" follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY, "none" connects directly, or an address.',
  ),
  caFile: z
    .optional(textField())
    .describe('A file of PEM certificates to trust in addition to the system’s. Default: none.'),
  clientCert: z
    .optional(textField())
    .describe(
      'A PEM file of the certificate that is shown to a target that asks for one, perhaps with its key. Default: none.',
    ),
  clientKey: z
    .optional(textField())
    .describe('A PEM file of the key of clientCert, without a passphrase. Default: clientCert.'),
  verifyTls: booleanField(true).describe('Whether to verify TLS certificates.'),
  connectAhead: booleanField(true).describe(
    'Whether to open connections up to a second before scheduled requests are due, so that their latency does not include connecting. Not with pace, the transport undici or reuse: false.',
  ),
  reuse: booleanField(true).describe(
    'Whether a connection is used for several requests; false opens one for each request, which is then part of its latency.',
  ),
  maxRequestsPerConnection: withDefault(wholeNumberOrNoneField(1_000_000_000), 'none').describe(
    'After how many requests a connection is not used again, or none.',
  ),
});

export const transportSchema = z
  .enum(transportNames)
  .default('socket')
  .describe(
    'The HTTP client: "socket", Weir’s HTTP/1.1 client with the most exact timing, or "undici", a general client, as a cross-check. HTTP/2 always uses undici. Default: socket.',
  );

export const workersSchema = z
  .union(
    [wholeNumberField(1, 64), z.literal('auto')],
    'expected a whole number from 1 to 64, or auto',
  )
  .default(1)
  .describe(
    'How many threads send requests, each with its share of the load and its own connections; "auto" uses one for about 30,000 streamed chunks a second, and leaves one core free. The requests and their times stay the same. Default: 1.',
  );

export const canarySchema = booleanField(true).describe(
  'Whether to read five self-test streams from a local process during the run: their delay is part of the measurement error of the run. They take 3 to 4 % of a core; every load has them but `saturate`.',
);
