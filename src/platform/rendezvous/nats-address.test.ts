import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { Problem } from '../problem.ts';
import { openNatsRendezvous } from './nats-rendezvous.ts';
import { UnreachableRendezvous } from './unreachable.ts';

/** What a client says of itself when it connects. */
interface Greeting {
  readonly name?: string;
  readonly auth_token?: string;
  readonly user?: string;
  readonly pass?: string;
  readonly nkey?: string;
  readonly sig?: string;
  readonly jwt?: string;
}

/** Starts what greets as a NATS server does, and refuses everybody. */
const startRefusing = async (): Promise<{
  readonly port: number;
  readonly greetings: Greeting[];
}> => {
  const greetings: Greeting[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'x', version: '2.10.0', proto: 1, headers: true, max_payload: 1e6, nonce: 'abcdefgh' })}\r\n`,
    );
    socket.on('data', (data) => {
      const said = /CONNECT (.*)\r\n/.exec(data.toString())?.[1];
      if (said === undefined) return;
      greetings.push(JSON.parse(said) as Greeting);
      socket.end(`-ERR 'Authorization Violation'\r\n`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, greetings };
};

const refused = async (
  userinfo: string,
  environment: Readonly<Record<string, string>>,
): Promise<Greeting> => {
  const { port, greetings } = await startRefusing();
  const opening = openNatsRendezvous(
    new URL(`nats://${userinfo}127.0.0.1:${port}/evening`),
    environment,
  );
  await expect(opening).rejects.toThrow(Problem);
  await expect(opening).rejects.not.toBeInstanceOf(UnreachableRendezvous);
  await expect(opening).rejects.toThrow(
    new RegExp(
      `^the rendezvous nats://127\\.0\\.0\\.1:${port} cannot be reached: .*uthorization.*WEIR_NATS_TOKEN`,
    ),
  );
  return greetings[0]!;
};

const account = nkeys.createUser();
const seed = new TextDecoder().decode(account.getSeed());

it.each<readonly [string, string, Readonly<Record<string, string>>, Greeting]>([
  ['nothing', '', {}, {}],
  ['a token of the environment', '', { WEIR_NATS_TOKEN: 't' }, { auth_token: 't' }],
  ['a token of the address', 'a%20b@', {}, { auth_token: 'a b' }],
  ['a user of the address', 'me:p%40ss@', {}, { user: 'me', pass: 'p@ss' }],
  ['the environment before the address', 'a@', { WEIR_NATS_TOKEN: 't' }, { auth_token: 't' }],
])('a NATS server is given %s, and its refusal is a sentence', async (_, userinfo, given, sent) => {
  const { name, auth_token, user, pass, nkey } = await refused(userinfo, given);
  expect(name).toBe('weir');
  expect({ auth_token, user, pass, nkey }).toEqual({ ...sent });
});

it('a NATS server gets a signature of an nkey, which comes before a token', async () => {
  const sent = await refused('', { WEIR_NATS_NKEY: ` ${seed}\n`, WEIR_NATS_TOKEN: 't' });
  expect(sent.nkey).toBe(account.getPublicKey());
  expect(sent.sig).toMatch(/./);
  expect(sent.auth_token).toBeUndefined();
});

it('a NATS server gets what a file of credentials says, which comes before all others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-nats-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.creds');
  const part = (what: string, text: string): string =>
    `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n`;
  writeFileSync(file, part('NATS USER JWT', 'ey.jwt.x') + part('USER NKEY SEED', seed));
  const sent = await refused('', { WEIR_NATS_CREDS: file, WEIR_NATS_NKEY: seed });
  expect(sent.jwt).toBe('ey.jwt.x');
  expect(sent.sig).toMatch(/./);
});

it.each(['WEIR_NATS_CREDS', 'WEIR_NATS_CA'])('a file of %s that is not there is named', (name) =>
  expect(
    openNatsRendezvous(new URL('nats://127.0.0.1:1'), { [name]: '/nowhere/x' }),
  ).rejects.toThrow(new RegExp(`^the file /nowhere/x \\(${name}\\) cannot be read: `)),
);

it('a NATS server that is not there is unreachable, which ends otherwise than a refusal', async () => {
  const opening = openNatsRendezvous(new URL('nats://127.0.0.1:1/a'), {});
  await expect(opening).rejects.toBeInstanceOf(UnreachableRendezvous);
  await expect(opening).rejects.toThrow(
    /^the rendezvous nats:\/\/127\.0\.0\.1:1 cannot be reached: /,
  );
});

it.each(['a/b', 'a.b', 'x'.repeat(65)])(
  'a bucket that NATS would refuse is refused in a sentence: %s',
  (path) =>
    expect(openNatsRendezvous(new URL(`nats://127.0.0.1:1/${path}`), {})).rejects.toThrow(
      `--rendezvous: expected at most 64 letters, digits, - and _ after the address, such as nats://host:4222/evening; got "${path}"`,
    ),
);

/** Starts what lets everybody in, keeps what it is asked, and has no store. */
const startWithoutStore = async (): Promise<{
  readonly port: number;
  readonly asked: readonly string[];
}> => {
  const asked: string[] = [];
  const store = { memory: 0, storage: 0, streams: 0, consumers: 0, api: {}, limits: {} };
  const error = { code: 503, err_code: 1, description: 'no store here' };
  const server = createServer((socket) => {
    let inbox = '1';
    socket.on('error', () => undefined);
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'x', version: '2.10.0', proto: 1, headers: true, max_payload: 1e6 })}\r\n`,
    );
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n')) {
        if (line === 'PING') socket.write('PONG\r\n');
        inbox = /^SUB \S+ (\S+)$/.exec(line)?.[1] ?? inbox;
        const [, subject, reply] = /^H?PUB (\S+) (\S+) \d/.exec(line) ?? [];
        if (subject === undefined) continue;
        asked.push(subject);
        const answer = JSON.stringify(subject === '$JS.API.INFO' ? store : { error });
        socket.write(`MSG ${reply} ${inbox} ${answer.length}\r\n${answer}\r\n`);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, asked };
};

it.each([
  ['', 'weir'],
  ['/', 'weir'],
  ['/evening_2', 'weir-evening_2'],
  [`/${'x'.repeat(64)}`, `weir-${'x'.repeat(64)}`],
])(
  'the address nats://host%s has the bucket %s, and a server without a store is a sentence',
  async (path, bucket) => {
    const { port, asked } = await startWithoutStore();
    const opening = openNatsRendezvous(new URL(`nats://127.0.0.1:${port}${path}`), {});
    await expect(opening).rejects.toThrow(
      new RegExp(
        `^the rendezvous nats://127\\.0\\.0\\.1:${port}${path} cannot be reached: no store here`,
      ),
    );
    expect(asked.at(-1)).toBe(`$JS.API.STREAM.INFO.KV_${bucket}`);
  },
);
