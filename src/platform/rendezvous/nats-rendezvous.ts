import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { whyUnreadable } from '../files/file-error-reasons.ts';
import { loadOptional } from '../optional-package.ts';
import { Problem } from '../problem.ts';
import { checkedContent } from './checked-content.ts';
import { UnreachableRendezvous } from './unreachable.ts';

/** Loads the packages of NATS, which only a rendezvous on NATS needs. Throws a `Problem` if a package is missing. */
const loadNatsPackages = async () => {
  const [transport, jetstream, kv, objects] = await loadOptional(
    () =>
      Promise.all([
        import('@nats-io/transport-node'),
        import('@nats-io/jetstream'),
        import('@nats-io/kv'),
        import('@nats-io/obj'),
      ]),
    '--rendezvous: NATS',
    ['transport-node', 'jetstream', 'kv', 'obj'].map((name) => `@nats-io/${name}`),
    'or use a folder that all machines share (file:///…)',
  );
  return { transport, jetstream, kv, objects };
};
type NatsPackages = Awaited<ReturnType<typeof loadNatsPackages>>;

/** Matches the error messages of Node and of the NATS client for an address that does not answer. */
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

/** Returns the credentials from the environment or the address: a token, a user, an nkey seed or a file. */
const authenticationFor = async (
  { transport }: NatsPackages,
  { username, password }: URL,
  environment: Environment,
): Promise<ConnectionOptions> => {
  const { WEIR_NATS_TOKEN: token = '', WEIR_NATS_NKEY: seed = '' } = environment;
  const credentials = await fileOf(environment, 'WEIR_NATS_CREDS');
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  // A line feed is added, since the library reads the last part of the file only if a line feed follows it.
  if (credentials !== null)
    return { authenticator: transport.credsAuthenticator(bytes(`${credentials}\n`)) };
  if (seed !== '') return { authenticator: transport.nkeyAuthenticator(bytes(seed.trim())) };
  if (token !== '') return { token };
  if (username === '') return {};
  const [user, pass] = [username, password].map(decodeURIComponent);
  return password === '' ? { token: user! } : { user: user!, pass: pass! };
};

/** The maximum time for a connection to open, in ms. */
const connectTimeout = 5000;
/** The interval between attempts to reconnect, in ms. */
const reconnectInterval = 250;

/**
 * Connects to the server at an address. The library reopens a lost connection. Throws an `UnreachableRendezvous` if the
 * first attempt gets no answer, and a `Problem` for any other failure.
 */
const connectToNats = async (
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

/**
 * This file implements a rendezvous in JetStream, the store of a NATS server. Records are in a key-value bucket, and
 * contents are in an object store. The server stores records and contents on disk, so they survive a restart of the
 * server. A machine asks for the time with a plain NATS request, whose round trip takes some tenths of a millisecond.
 */

/**
 * The timeout of one operation, in ms. Several operations must fit into the shortest `--silence`, after which a worker
 * or the coordinator counts as gone.
 */
const operationTimeout = 1000;
/** The timeout for one part of a content, in ms. */
const contentTimeout = 5000;

const bucketOf = (url: URL): string => {
  const name = url.pathname.replace(/^\//, '');
  if (/^[\w-]{0,64}$/.test(name)) return name === '' ? 'weir' : `weir-${name}`;
  throw new Problem(
    `--rendezvous: expected at most 64 letters, digits, - and _ after the address, such as nats://host:4222/evening; got ${JSON.stringify(name)}`,
  );
};

/**
 * Runs an operation. Throws a `Problem` if it fails. The failure may be temporary, so the same call may succeed later.
 */
const reaching = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`the rendezvous ${name} cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  }
};

const openBuckets = async (
  { jetstream, kv, objects }: NatsPackages,
  connection: NatsConnection,
  bucket: string,
) => {
  const client = jetstream.jetstream(connection, { timeout: operationTimeout });
  const { File: storage } = jetstream.StorageType;
  const description = 'Where the slices of a run of Weir meet';
  const large = jetstream.jetstream(connection, { timeout: contentTimeout });
  // With `allow_direct`, a server other than the leader could answer. The option is off, since only the leader's copy
  // of a record is certain to be current.
  const form = { storage, description, history: 1, allow_direct: false };
  await new kv.Kvm(large).create(bucket, form);
  const records = await new kv.Kvm(client).open(bucket, { allow_direct: false });
  const contents = await new objects.Objm(large).create(bucket, { storage, description });
  const streams = (await jetstream.jetstreamManager(connection, { timeout: contentTimeout }))
    .streams;
  const clear = async (): Promise<void> => {
    await streams.purge(`KV_${bucket}`);
    await streams.purge(`OBJ_${bucket}`);
  };
  return { records, contents, clear };
};

const textOf = async (records: KV, key: string): Promise<string | null> => {
  const entry = await records.get(key);
  return entry?.operation === 'PUT' ? entry.string() : null;
};

/** Creates a record; returns `false` if the record already exists. */
const createNew = async (
  { jetstream }: NatsPackages,
  records: KV,
  key: string,
  text: string,
): Promise<boolean> => {
  try {
    await records.create(key, text);
    return true;
  } catch (error) {
    const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = jetstream.JetStreamApiCodes;
    const code = error instanceof jetstream.JetStreamApiError ? error.code : 0;
    if (code === StreamWrongLastSequence || code === StreamWrongLastSequenceUnknown) return false;
    throw error;
  }
};

const storeContent = async (
  contents: ObjectStore,
  name: string,
  content: Uint8Array,
): Promise<string> => {
  await contents.putBlob({ name }, content);
  return createHash('sha256').update(content).digest('hex');
};

/** Asks for the time on `subject`, and answers other machines that ask for the time there. */
const timeOn = (connection: NatsConnection, subject: string) => ({
  answerTime: async (now: () => number) => {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) message.respond(String(now()));
      },
    });
    await connection.flush();
    return () => {
      subscription.unsubscribe();
      return Promise.resolve();
    };
  },
  askTime: async (): Promise<number | null> => {
    const answer = await connection
      .request(subject, undefined, { timeout: operationTimeout })
      .catch(() => null);
    return answer === null ? null : Number(answer.string());
  },
});

/**
 * Opens the rendezvous at the address of a NATS server. The path of the address names the bucket of the rendezvous.
 * Throws a `Problem` if the rendezvous cannot be opened.
 */
export const openNatsRendezvous = async (
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Rendezvous> => {
  const bucket = bucketOf(url);
  const packages = await loadNatsPackages();
  const connection = await connectToNats(packages, url, environment);
  const name = `${url.protocol}//${url.host}${url.pathname}`;
  try {
    const { records, contents, clear } = await reaching(name, () =>
      openBuckets(packages, connection, bucket),
    );
    return {
      name,
      create: (key, text) =>
        reaching(
          name,
          async () =>
            (await createNew(packages, records, key, text)) ||
            (await textOf(records, key)) === text,
        ),
      put: (key, text) =>
        reaching(name, async () => {
          await records.put(key, text);
        }),
      get: (key) => reaching(name, () => textOf(records, key)),
      store: (key, content) => reaching(name, () => storeContent(contents, key, content)),
      load: (key, digest) =>
        reaching(name, async () => checkedContent(name, key, await contents.getBlob(key), digest)),
      ...timeOn(connection, `weir.${bucket}.time`),
      clear: () => reaching(name, clear),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
};
