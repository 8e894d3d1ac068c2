import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

const certificateOf = async (commonName: string) =>
  generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });

/** A server of model lists over TLS that asks for a certificate, and logs whose it gets. */
const startTlsServer = async (folder: string, name: string) => {
  const { private: key, cert } = await certificateOf(name);
  await writeFile(join(folder, `${name}.pem`), cert);
  const shown: string[] = [];
  const server = createServer(
    { key, cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      shown.push((subject as { CN?: string } | undefined)?.CN ?? 'none');
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ object: 'list', data: [] }));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, shown };
};

it('trusts for each target its own authority, and shows a certificate to the target that it is for', async () => {
  const folder = await tempFolder();
  const [left, right] = [
    await startTlsServer(folder, 'left'),
    await startTlsServer(folder, 'right'),
  ];
  const client = await certificateOf('weir-client');
  await writeFile(join(folder, 'client.pem'), `${client.cert}\n${client.private}`);
  const run = async (authorityOfLeft: string) => {
    const file = join(folder, `${authorityOfLeft}.yaml`);
    const load = 'load: { kind: iterations, users: 2, iterations: 20 }';
    await writeFile(
      file,
      `traffic: [{ kind: models }]
limits: none
canary: false
keys: \${env:KEY}
targets:
  left: { url: '${left.url}', wire: { caFile: ${authorityOfLeft}.pem, proxy: none } }
  right: { url: '${right.url}', wire: { caFile: right.pem, clientCert: client.pem, proxy: none } }
populations:
  - { name: a, target: left, ${load} }
  - { name: b, target: right, ${load} }
`,
    );
    const out = await tempFolder();
    return {
      ...(await weir(['run', file, '--quiet', '--out', out], { KEY: 'sk-of-both' })),
      out,
    };
  };
  const { out } = await run('left');
  expect(sumOutcomes((await resultIn(out)).groups)).toMatchObject({ completed: 40, broken: 0 });
  expect(new Set(left.shown)).toEqual(new Set(['none']));
  expect(new Set(right.shown)).toEqual(new Set(['weir-client']));
  const before = [left.shown.length, right.shown.length];
  expect(before.every((count) => count >= 20)).toBe(true);
  // With the authority of the other target, the first cannot be reached, and no load is sent to any.
  const refused = await run('right');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(left.url);
  expect(left.shown).toHaveLength(before[0]!);
  expect(right.shown.length - before[1]!).toBeLessThanOrEqual(2);
});
