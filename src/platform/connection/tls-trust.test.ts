import { getCACertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { directWire, tlsTrustOptions } from './connector.ts';

it.each([
  ['https://gateway/v1', true],
  ['http://gateway/v1', false],
  ['unix:/run/gateway.sock:/v1', false],
])('the authorities that are named are read for %s: %j', (url, areRead) => {
  const [authority = ''] = getCACertificates('bundled');
  const certificates = { authorities: authority, client: null };
  const { rejectUnauthorized, secureContext } = tlsTrustOptions({
    url,
    wire: directWire,
    certificates,
  });
  expect([rejectUnauthorized, secureContext !== undefined]).toEqual([true, areRead]);
});
