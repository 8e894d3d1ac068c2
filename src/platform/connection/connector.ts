import { BlockList, isIP, Socket } from 'node:net';
import type tls from 'node:tls';
import type { buildConnector } from 'undici';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { Problem } from '../problem.ts';
import { undici } from '../undici.ts';
import { targetAddress } from './request-path.ts';

/**
 * This file chooses a proxy from environment variables by the rules of curl, Go and undici. undici applies these rules
 * only in its own agent. Weir's transports open connections themselves and do not use this agent.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

interface Variable {
  readonly name: string;
  readonly text: string;
}

/**
 * Returns an environment variable. The variable with the lower-case name takes precedence, as in curl. An empty
 * variable counts as not set.
 */
const variable = (environment: Environment, lower: string): Variable | null => {
  for (const name of [lower, lower.toUpperCase()]) {
    const text = environment[name] ?? '';
    if (text !== '') return { name, text };
  }
  return null;
};

/**
 * Lower-cases a host, and removes brackets and a final dot: `[::1]` becomes `::1`, `example.com.` becomes
 * `example.com`.
 */
const bareHost = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(?<=.)\.$/, '');

/** Splits `host:port`. An IPv6 address with a port must be in brackets. */
const splitPort = (entry: string): { readonly host: string; readonly port: number | null } => {
  const [, host, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  return host === undefined ? { host: entry, port: null } : { host, port: Number(port) };
};

/**
 * Returns whether an entry of NO_PROXY covers an IP address. The entry is an address in any spelling, or a range such
 * as `10.0.0.0/8` (as in curl and Go).
 */
const coversAddress = (entry: string, host: string): boolean => {
  const [text = '', length] = entry.split('/');
  const family = isIP(bareHost(text));
  if (family === 0 || family !== isIP(host)) return false;
  const longest = family === 4 ? 32 : 128;
  const prefix = length === undefined ? longest : /^\d+$/.test(length) ? Number(length) : Infinity;
  if (prefix > longest) return false;
  const range = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  range.addSubnet(bareHost(text), prefix, type);
  return range.check(host, type);
};

/**
 * Returns whether an entry of NO_PROXY covers a host. The entry `example.com` covers this host and its subdomains,
 * `*.example.com` covers only the subdomains, and `*` covers every host. A port in the entry must match.
 */
const covers = (entry: string, { hostname, port, protocol }: URL): boolean => {
  const wanted = splitPort(entry);
  const actualPort = port === '' ? (defaultPorts[protocol] ?? 0) : Number(port);
  if (wanted.port !== null && wanted.port !== actualPort) return false;
  if (wanted.host === '*') return true;
  const host = bareHost(hostname);
  if (isIP(host) !== 0 && coversAddress(wanted.host, host)) return true;
  const below = bareHost(wanted.host).replace(/^\*?\.?/, '');
  const isExact = !wanted.host.startsWith('*') && host === below;
  return isExact || host.endsWith(`.${below}`);
};

/**
 * Returns the proxy that an environment variable names for `url`, and the name of this variable; `null` for a direct
 * connection.
 */
export const proxyInEnvironment = (url: URL, environment: Environment): Variable | null => {
  const excluded = (variable(environment, 'no_proxy')?.text ?? '').split(/[,\s]+/).filter(Boolean);
  if (excluded.some((entry) => covers(entry, url))) return null;
  const scheme = url.protocol.slice(0, -1);
  const found = variable(environment, `${scheme}_proxy`) ?? variable(environment, 'all_proxy');
  if (found === null || found.text.includes('://')) return found;
  return { ...found, text: `${scheme}://${found.text}` };
};

export interface TargetEndpoint {
  /** The base address, to which the paths of requests are appended. */
  readonly url: string;
  readonly wire: ConnectionSettings;
  readonly certificates: Certificates | null;
}

/** Loads `node:tls`, and `node:crypto` with it, when TLS is first used, since loading takes 11 ms of CPU. */
export const loadTls = (): typeof tls => process.getBuiltinModule('node:tls');

/** The certificates for TLS connections, in PEM. The scenario names them; `SSL_CERT_FILE` can add authorities. */
export interface Certificates {
  /** The certificates of authorities that are trusted in addition to Node's default authorities; `null` for none. */
  readonly authorities: string | null;
  /** The client certificate for the target and its key; `null` if the scenario names no client certificate. */
  readonly client: { readonly cert: string; readonly key: string } | null;
}

/** Returns why a client certificate and its key cannot be used together; `null` if they can. */
export const clientCertificateProblem = (client: Certificates['client']): string | null => {
  try {
    loadTls().createSecureContext(client ?? {});
    return null;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code.includes('KEY_VALUES_MISMATCH')) return 'the key is not that of the certificate';
    if (
      /CRYPTO_INTERRUPTED|BAD_DECRYPT|BAD_PASSWORD/.test(code) ||
      /ENCRYPTED/.test(client?.key ?? '')
    )
      return 'the key is encrypted: write a copy without a passphrase, for example with openssl pkey -in KEY -out COPY';
    return /PEM|NO_START_LINE|UNSUPPORTED/.test(code)
      ? 'expected PEM, with a line such as -----BEGIN CERTIFICATE----- or -----BEGIN PRIVATE KEY-----'
      : message;
  }
};

/** The settings for connections to Weir's own servers on this machine. */
export const directWire: ConnectionSettings = {
  http2: false,
  proxy: { kind: 'none' },
  caFile: null,
  verifyTls: true,
};

const proxyUrl = ({ name, text }: { readonly name: string; readonly text: string }): URL => {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const found = url === null ? 'something that is no URL' : `one with ${url.protocol}//`;
  throw new Problem(
    `${name}: expected the address of an HTTP proxy, such as http://proxy:3128; got ${found}. Mend the variable, add the target to NO_PROXY, or set wire: {proxy: none}`,
  );
};

/** Returns the proxy for the target of a plan; `null` for a direct connection. */
export const proxyFor = (baseUrl: string, proxy: ConnectionSettings['proxy']): URL | null => {
  switch (proxy.kind) {
    case 'none':
      return null;
    case 'url':
      return new URL(proxy.url);
    case 'environment': {
      const { url, socketPath } = targetAddress(baseUrl);
      const found = socketPath === null ? proxyInEnvironment(url, process.env) : null;
      return found && proxyUrl(found);
    }
  }
};

const proxyError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'WEIR_PROXY' });

/** Cancels an attempt to connect. Does nothing if the attempt has ended. */
export type CancelConnect = () => void;

/** Opens one connection. `done` receives the socket of the connection or an error. */
export type OpenConnection = (
  options: buildConnector.Options,
  done: buildConnector.Callback,
) => CancelConnect;

/**
 * Opens a tunnel through `proxy` by CONNECT (RFC 9110, section 9.3.6). `done` receives the socket of the tunnel or an
 * error.
 */
export const openTunnel = (
  proxy: URL,
  authority: string,
  done: (...result: [Error, null] | [null, Socket]) => void,
): CancelConnect => {
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  // `node:http` is not imported, since an import would also load Node's WebSocket, which takes 30 ms of CPU at every
  // start.
  const isTls = proxy.protocol === 'https:';
  const request = process.getBuiltinModule(isTls ? 'node:https' : 'node:http').request({
    host: proxy.hostname,
    port: proxy.port === '' ? undefined : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers,
    agent: false,
  });
  let hasEnded = false;
  request.once('connect', (response, socket, head) => {
    hasEnded = true;
    if (response.statusCode === 200 && head.length === 0) return done(null, socket);
    socket.destroy();
    done(proxyError(`the proxy ${proxy.host} answered CONNECT with ${response.statusCode}`), null);
  });
  request.once('error', (error) => {
    done(proxyError(`the proxy ${proxy.host} cannot be used: ${error.message}`), null);
  });
  request.end();
  return () => {
    if (!hasEnded) request.destroy();
  };
};

const throughProxy =
  (proxy: URL, open: OpenConnection): OpenConnection =>
  (options, done) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? '443' : '80') : options.port;
    let cancel = openTunnel(proxy, `${options.hostname}:${port}`, (...[error, socket]) => {
      if (error !== null) done(error, null);
      else if (isTls) cancel = open({ ...options, httpSocket: socket }, done);
      else done(null, socket);
    });
    return () => cancel();
  };

/**
 * Makes a TLS socket report its first error. Otherwise, undici would only report that the server closed the socket. For
 * example, a server with TLS 1.3 that rejects the client's certificate sends an alert after the handshake, and then
 * closes the socket. The alert is the first error.
 */
const keepFirstError = (socket: Socket): void => {
  socket.prependOnceListener('error', (first) => {
    const destroy = socket.destroy.bind(socket);
    socket.destroy = () => destroy(first);
  });
};

/**
 * Makes undici's attempts to connect cancellable. Otherwise, the socket of an attempt would stay open after its client
 * is destroyed.
 */
const cancellable =
  (connect: buildConnector.connector): OpenConnection =>
  (options, done) => {
    let hasEnded = false;
    // undici's connector returns its socket, although the connector's type declares no result.
    const openingSocket: unknown = connect(options, (...[error, socket]) => {
      hasEnded = true;
      if (error !== null) return done(error, null);
      if ('encrypted' in socket) keepFirstError(socket);
      done(null, socket);
    });
    if (!(openingSocket instanceof Socket))
      throw new TypeError('undici’s connector returned no socket');
    return () => {
      if (!hasEnded) openingSocket.destroy();
    };
  };

/**
 * Returns the options of `tls.connect` with which the server's certificate is checked and the client's certificate is
 * presented. The options are made once for all connections, since reading all authorities blocks the event loop for
 * tens of milliseconds.
 */
export const tlsTrustOptions = ({
  url,
  wire,
  certificates,
}: Pick<TargetEndpoint, 'url' | 'wire' | 'certificates'>): Pick<
  tls.ConnectionOptions,
  'secureContext' | 'rejectUnauthorized'
> => {
  const rejectUnauthorized = wire.verifyTls;
  // A target without TLS needs no secure context. Even for such a target, `certificates` is not `null` if SSL_CERT_FILE
  // is set.
  const isTls = targetAddress(url).url.protocol === 'https:';
  if (!isTls || certificates === null) return { rejectUnauthorized };
  const { authorities, client } = certificates;
  const ca =
    authorities === null ? {} : { ca: [...loadTls().getCACertificates('default'), authorities] };
  return { rejectUnauthorized, secureContext: loadTls().createSecureContext({ ...ca, ...client }) };
};

/** Opens connections to the target for undici: direct or through a proxy, plain or TLS, without a timeout. */
export const connectorTo = (base: TargetEndpoint): OpenConnection => {
  const { url, wire } = base;
  const { socketPath } = targetAddress(url);
  const open = cancellable(
    undici().buildConnector({
      socketPath,
      allowH2: wire.http2,
      preferH2: wire.http2,
      timeout: 0,
      ...tlsTrustOptions(base),
    }),
  );
  const proxy = proxyFor(url, wire.proxy);
  return proxy === null ? open : throughProxy(proxy, open);
};
