import { z } from 'zod';
import { transportNames } from '../model/exchange.ts';
import type { Wire } from '../model/plan.ts';
import { withoutTrailingSlash, wordOrAddress } from './address-field.ts';
import { text } from './field.ts';

/** How connections are made, and by what. */

const proxy = wordOrAddress(
  ['environment', 'none'],
  'expected environment, none, or the address of a proxy such as http://proxy.example:3128',
).transform((value): Wire['proxy'] =>
  value instanceof URL ? { kind: 'url', url: withoutTrailingSlash(value) } : value,
);

const flag = (word: boolean) => z.boolean({ error: 'expected true or false' }).prefault(word);

export const wireSchema = z.strictObject({
  http2: flag(false).describe('Whether to offer HTTP/2. Default: false.'),
  proxy: proxy
    .prefault('environment')
    .describe(
      'The proxy: "environment" follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY, "none" connects directly, or an address. Default: environment.',
    ),
  caFile: text()
    .optional()
    .describe('A file of PEM certificates to trust beside the system’s. Default: none.'),
  verifyTls: flag(true).describe('Whether TLS certificates are checked. Default: true.'),
});

export const transportSchema = z
  .enum(transportNames)
  .default('undici')
  .describe(
    'What speaks to the target: "socket", an HTTP/1.1 client of our own whose instants are the most exact, or "undici", the general client, as a cross-check. HTTP/2 is always undici’s. Default: undici.',
  );
