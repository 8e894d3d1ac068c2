import { z } from 'zod';
import { transportNames } from '../../model/observation/exchange.ts';
import type { Target, ConnectionSettings } from '../../model/plan/plan.ts';
import { addressProblem } from './base-address.ts';
import { type IssueParams, textField, wholeNumberField } from './fields.ts';

/** How a scenario says what is asked, and over which wires. */

/** A field that is one of a few words or an address. */
const wordOrAddress = <Word extends string>(words: readonly Word[], expected: string) =>
  z.string({ error: expected }).transform((value, context): { kind: Word } | URL => {
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return { kind: word };
    const url = URL.parse(value);
    const problem = addressProblem(value, url);
    if (url !== null && problem === null) return url;
    const params: IssueParams = { choices: words };
    const message = problem === null ? expected : `${expected}; ${problem}`;
    context.issues.push({ code: 'custom', message, input: value, params });
    return z.NEVER;
  });

const withoutTrailingSlash = (url: URL): string => url.href.replace(/\/+$/, '');

export const targetSchema = wordOrAddress(
  ['mock', 'container'],
  'expected mock, container, or the address of a gateway such as https://gateway.example/v1',
).transform((value): Target =>
  value instanceof URL ? { kind: 'url', url: withoutTrailingSlash(value) } : value,
);

const proxy = wordOrAddress(
  ['environment', 'none'],
  'expected environment, none, or the address of a proxy such as http://proxy.example:3128',
).transform((value): ConnectionSettings['proxy'] =>
  value instanceof URL ? { kind: 'url', url: withoutTrailingSlash(value) } : value,
);

const booleanField = (word: boolean) =>
  z.boolean({ error: 'expected true or false' }).prefault(word);

export const wireSchema = z.strictObject({
  http2: booleanField(false).describe('Whether to offer HTTP/2. Default: false.'),
  proxy: proxy
    .prefault('environment')
    .describe(
      'The proxy: "environment" follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY, "none" connects directly, or an address. Default: environment.',
    ),
  caFile: textField()
    .optional()
    .describe('A file of PEM certificates to trust beside the system’s. Default: none.'),
  verifyTls: booleanField(true).describe('Whether TLS certificates are checked. Default: true.'),
});

export const transportSchema = z
  .enum(transportNames)
  .default('socket')
  .describe(
    'What speaks to the target: "socket", an HTTP/1.1 client of our own whose instants are the most exact, or "undici", the general client, as a cross-check. HTTP/2 is always undici’s. Default: socket.',
  );

const workersExpected = 'expected a whole number from 1 to 64, or auto';

export const workersSchema = z
  .union([wholeNumberField(1, 64), z.literal('auto')], { error: workersExpected })
  .default(1)
  .describe(
    'How many threads send, each with a share of the load and connections of its own; "auto" takes one for about 30,000 streamed chunks a second, and never the last core. What is sent, and when, stays the same. Default: 1.',
  );

export const canarySchema = booleanField(true).describe(
  'Whether 20 further streams, from a process of Weir’s own on this machine, are read beside those of the target: how late they are is the run’s own error bar. They take 2 to 3 % of a core in all, and only runs with streamed chats have it. Default: true.',
);
