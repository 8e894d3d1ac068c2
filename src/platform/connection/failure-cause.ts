import type { BrokenCause, ConnectionOrigin } from '../../model/observation/exchange.ts';

/** How far an exchange was when it failed: the same error means different things at different stages. */
export interface ExchangeProgress {
  /** `null` while connecting, also when a kept connection turned out to be closed and is reopened. */
  readonly connection: ConnectionOrigin | null;
  /** Milliseconds since the request was sent; `null` before. */
  readonly sinceSent: number | null;
  readonly hasResponse: boolean;
}

/**
 * A server may close an idle connection while a request is on its way to it (RFC 9112,
 * section 9.3.1); the client learns of that within about one round trip. A close that comes
 * later than this many milliseconds after sending is by a server that has the request.
 */
const reuseRaceWindow = 1000;

const whileConnecting: Readonly<Record<string, BrokenCause>> = {
  ECONNREFUSED: 'connect-refused',
  ECONNRESET: 'connect-reset',
  EPIPE: 'connect-reset',
  ENOTFOUND: 'name-not-resolved',
  EAI_AGAIN: 'name-not-resolved',
  EHOSTUNREACH: 'connect-unreachable',
  ENETUNREACH: 'connect-unreachable',
  ETIMEDOUT: 'connect-unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect-unreachable',
};

const anyTime: Readonly<Record<string, BrokenCause>> = {
  EMFILE: 'out-of-sockets',
  ENFILE: 'out-of-sockets',
  EADDRNOTAVAIL: 'out-of-sockets',
  ENOBUFS: 'out-of-sockets',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'closed-early',
  WEIR_PROXY: 'proxy',
};

/** Ways in which the other side ends an established connection. */
const closeCauses: Readonly<Record<string, BrokenCause>> = {
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'closed-early',
  ERR_STREAM_PREMATURE_CLOSE: 'closed-early',
};

const tlsCodes =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_OSSL|EPROTO|HOSTNAME_MISMATCH)/;

const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  const inner = cause === undefined ? '' : codeOf(cause);
  return inner === '' && typeof code === 'string' ? code : inner;
};

/** Whether an HTTP parser rejected what the server sent. Some of these errors have no code. */
export const isParserError = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'HTTPParserError') || codeOf(error).startsWith('HPE_');

/** The cause for an error of a socket, a TLS stack or an HTTP parser. */
export const failureCause = (error: unknown, progress: ExchangeProgress): BrokenCause => {
  const code = codeOf(error);
  const known = anyTime[code];
  if (known !== undefined) return known;
  if (isParserError(error) || code === 'UND_ERR_INVALID_ARG') return 'protocol';
  if (progress.connection === null) {
    return whileConnecting[code] ?? (tlsCodes.test(code) ? 'tls' : 'connect-unreachable');
  }
  const end = closeCauses[code];
  if (end === undefined) return code === '' ? 'internal' : 'closed-early';
  const isReuseRace = progress.connection !== 'new' && (progress.sinceSent ?? 0) <= reuseRaceWindow;
  return isReuseRace && !progress.hasResponse ? 'closed-on-reuse' : end;
};

/** Whether a TLS handshake met a server that does not speak TLS, most often plain HTTP. */
export const isNotTls = (error: unknown): boolean =>
  codeOf(error) === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
  codeOf(error) === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';

/** A short description of an error for users. */
export const failureDetail = (error: unknown): string => {
  if (error instanceof AggregateError) return failureDetail(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  // OpenSSL's messages contain a thread and a line of its source.
  if ('library' in error && 'reason' in error) return `${String(error.reason)} (${code})`;
  return code !== '' && !error.message.includes(code)
    ? `${error.message} (${code})`
    : error.message;
};
