import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directWire } from '../../platform/connection/connector.ts';
import { certificatesFor } from './named-files.ts';

const locked = `-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHs\n-----END ENCRYPTED PRIVATE KEY-----\n`;

let home: string;
let a: { cert: string; private: string };
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-certificates-'));
  a = await generate([], { keyType: 'ec' });
  const b = await generate([], { keyType: 'ec' });
  const files = { 'a.pem': a.cert, 'a.key': a.private, 'both.pem': `${a.cert}\n${a.private}` };
  const others = {
    'b.key': b.private,
    'locked.key': locked,
    'text.pem': 'not PEM',
    'ca.pem': b.cert,
  };
  for (const [name, text] of Object.entries({ ...files, ...others }))
    await writeFile(join(home, name), text);
});
afterAll(async () => {
  await rm(home, { recursive: true });
});

const read = (files: object, environment = {}): Promise<unknown> =>
  certificatesFor({ ...directWire, ...files }, home, environment).catch((error: unknown) =>
    (error as Error).message.replaceAll(home, 'HOME'),
  );

describe('the certificates of a plan', () => {
  it('are those that it names, and the authorities of SSL_CERT_FILE', async () => {
    const client = { cert: a.cert, key: a.private };
    expect(await read({})).toBeNull();
    expect(await read({ clientCert: 'a.pem', clientKey: 'a.key' })).toEqual({
      authorities: null,
      client,
    });
    const both = `${a.cert}\n${a.private}`;
    expect(await read({ clientCert: 'both.pem' })).toEqual({
      authorities: null,
      client: { cert: both, key: both },
    });
    const SSL_CERT_FILE = join(home, 'ca.pem');
    expect(await read({ caFile: 'a.pem' }, { SSL_CERT_FILE })).toMatchObject({
      authorities: expect.stringMatching(/(?:BEGIN CERTIFICATE[^]*){2}/),
      client: null,
    });
  });

  it.each([
    [
      { clientCert: 'a.pem' },
      'wire.clientCert: a.pem holds no key: name its file in wire.clientKey',
    ],
    [{ clientCert: 'a.pem', clientKey: 'b.key' }, 'a.pem and b.key cannot be used: the key is not'],
    [{ clientCert: 'a.pem', clientKey: 'locked.key' }, 'the key is encrypted: write a copy'],
    [{ clientCert: 'text.pem', clientKey: 'a.key' }, 'expected PEM, with a line such as'],
    [{ clientCert: 'none.pem' }, 'the certificate file HOME/none.pem cannot be read'],
  ])('%j is refused: %s', async (files, message) => {
    expect(await read(files)).toContain(message);
  });

  it('name the variable of a file that is not there', async () => {
    const message = await read({}, { SSL_CERT_FILE: join(home, 'gone.pem') });
    expect(message).toMatch(/^SSL_CERT_FILE: the certificate file HOME\/gone.pem cannot be read/);
  });
});
