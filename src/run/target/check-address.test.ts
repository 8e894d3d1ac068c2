import { expect, it } from 'vitest';
import { versionedAddress } from './check-address.ts';

it.each([
  ['https://host', 'https://host/v1'],
  ['https://host/api/', 'https://host/api/v1'],
  ['https://host/api/v1/v1/', 'https://host/api/v1'],
  ['https://host/v1beta', 'https://host/v1beta/v1'],
  ['https://host/v2/', 'https://host/v2'],
  ['https://host/openai?api-version=1', 'https://host/openai/v1?api-version=1'],
  ['unix:/run/gateway.sock', 'unix:/run/gateway.sock:/v1'],
  ['unix:/run/gateway.sock:/api', 'unix:/run/gateway.sock:/api/v1'],
])('the address %s has its version once as %s', (written, meant) => {
  expect(versionedAddress(written)).toBe(meant);
});
