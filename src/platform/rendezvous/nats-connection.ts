import type * as jetstreamPackage from '@nats-io/jetstream';
import type * as kvPackage from '@nats-io/kv';
import type * as objectPackage from '@nats-io/obj';
import type * as transportPackage from '@nats-io/transport-node';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { readFile } from 'node:fs/promises';
import { whyUnreadable } from '../files/file-error-reasons.ts';
import { Problem } from '../problem.ts';
import { UnreachableRendezvous } from './unreachable.ts';

/** The packages of NATS, which are optional. */
export interface NatsPackages {
  readonly transport: typeof transportPackage;
  readonly jetstream: typeof jetstreamPackage;
  readonly kv: typeof kvPackage;
  readonly objects: typeof objectPackage;
}

const names = ['transport-node', 'jetstream', 'kv', 'obj'].map((name) => `@nats-io/${name}`);

/** Loads the packages only where a rendezvous is NATS. Throws a `Problem` without them. */
export const loadNatsPackages = async (): Promise<NatsPackages> => {
  try {
    const [transport, jetstream, kv, objects] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
      import('@nats-io/kv'),
      import('@nats-io/obj'),
    ]);
    return { transport, jetstream, kv, objects };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Problem(
      `--rendezvous: NATS needs packages that are not installed: run \`npm install ${names.map((name) => `${name}@3`).join(' ')}\`, or use a folder that all machines share (file:///…)`,
    );
  }
};

/** What Node and the client say where no server is listening, or none has the name. */
const unanswered =
  /connection refused|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ETIMEDOUT|timeout/i;

type Environment = Readonly<Record<string, string | undefined>>;

const fileOf = (environment: Environment, name: string): Promise<string> | null => {
  const path = environment[name] ?? '';
  if (path === '') return null;
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new Problem(`the file ${path} (${name}) cannot be read: ${whyUnreadable(error)}`);
  });
};

/** Who connects: by a token, a user, an nkey's seed or a file of credentials; from the environment, or in the address. */
const authenticationFor = async (
  { transport }: NatsPackages,
  { username, password }: URL,
  environment: Environment,
): Promise<ConnectionOptions> => {
  const { WEIR_NATS_TOKEN: token = '', WEIR_NATS_NKEY: seed = '' } = environment;
  const credentials = await fileOf(environment, 'WEIR_NATS_CREDS');
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text.trim());
  if (credentials !== null)
    return { authenticator: transport.credsAuthenticator(bytes(credentials)) };
  if (seed !== '') return { authenticator: transport.nkeyAuthenticator(bytes(seed)) };
  if (token !== '') return { token };
  if (username === '') return {};
  const [user, pass] = [username, password].map(decodeURIComponent);
  return password === '' ? { token: user! } : { user: user!, pass: pass! };
};

/** How long a connection may take to open, in ms. */
const connectTimeout = 5000;
/** How long before the next attempt to reconnect, in ms. */
const reconnectInterval = 250;

/**
 * Connects to the server of an address. Once connected, it reconnects for as long as it takes. Throws a `Problem` if it cannot
 * connect at first, an `UnreachableRendezvous` if nothing answers.
 */
export const connectToNats = async (
  packages: NatsPackages,
  url: URL,
  environment: Environment,
): Promise<NatsConnection> => {
  const ca = await fileOf(environment, 'WEIR_NATS_CA');
  const isTls = url.protocol === 'tls:' || ca !== null;
  const authentication = await authenticationFor(packages, url, environment);
  try {
    return await packages.transport.connect({
      servers: [`${url.hostname}:${url.port === '' ? 4222 : url.port}`],
      name: 'weir',
      timeout: connectTimeout,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectInterval,
      ...authentication,
      ...(isTls ? { tls: ca === null ? {} : { ca } } : {}),
    });
  } catch (error) {
    const { message } = error as Error;
    throw new (unanswered.test(message) ? UnreachableRendezvous : Problem)(
      `the rendezvous ${url.protocol}//${url.host} cannot be reached: ${message}. Start nats-server with JetStream (nats-server -js) there; a token, an nkey or credentials come from WEIR_NATS_TOKEN, WEIR_NATS_NKEY or WEIR_NATS_CREDS, and WEIR_NATS_CA names a file of certificates`,
      { cause: error },
    );
  }
};
