import type { BrokenCause, ConnectionOrigin } from '../../model/observation/exchange.ts';

/** The state of an exchange just before the exchange failed. The meaning of an error depends on this state. */
export interface ExchangeProgress {
  /**
   * The origin of the request's connection; `null` while a connection is being opened. This field is also `null` while
   * a new connection replaces a kept connection on which the request was sent before.
   */
  readonly connection: ConnectionOrigin | null;
  /** The milliseconds since the request was sent; `null` if the request was not sent. */
  readonly sinceSent: number | null;
  readonly hasResponse: boolean;
}

/**
 * If a connection closes at most this many ms after a request was sent, the server may have closed the connection
 * because the connection was idle. A server may do so while a request is on its way (RFC 9112, section 9.3.1), and the
 * client notices the close within about one round trip. If the connection closes later, the server had already received
 * the request.
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

/** Maps error codes to causes. Each of these codes means that the server has ended an established connection. */
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

/** Returns whether an error means that an HTTP parser rejected an answer. Some errors of HTTP parsers have no code. */
const isParserError = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'HTTPParserError') || codeOf(error).startsWith('HPE_');

/**
 * Matches the TLS alerts by which a server rejects the client's certificate. Since TLS 1.3, these alerts come after the
 * handshake (RFC 8446, section 6.2).
 */
const certificateAlert =
  /^ERR_SSL_.*ALERT_(?:BAD_CERT|CERT|UNSUPPORTED_CERT|UNKNOWN_CA|ACCESS_DENIED|NO_CERT)/;

/** Returns the cause for an error of a socket, a TLS stack or an HTTP parser. */
export const failureCause = (error: unknown, progress: ExchangeProgress): BrokenCause => {
  const code = codeOf(error);
  const known = anyTime[code];
  if (known !== undefined) return known;
  if (isParserError(error) || code === 'UND_ERR_INVALID_ARG') return 'protocol';
  if (progress.connection === null) {
    return whileConnecting[code] ?? (tlsCodes.test(code) ? 'tls' : 'connect-unreachable');
  }
  if (certificateAlert.test(code)) return 'tls';
  const end = closeCauses[code];
  if (end === undefined) return code === '' ? 'internal' : 'closed-early';
  const isReuseRace = progress.connection !== 'new' && (progress.sinceSent ?? 0) <= reuseRaceWindow;
  return isReuseRace && !progress.hasResponse ? 'closed-on-reuse' : end;
};

const advice: Partial<Record<BrokenCause, string>> = {
  'connect-refused': 'nothing listens there: check the port and whether the server is running',
  'name-not-resolved': 'the host name does not resolve: check its spelling',
  'connect-unreachable': 'the host cannot be reached from here',
  tls: 'the TLS handshake failed: give the server’s authority with wire.caFile or SSL_CERT_FILE, or check the certificate',
  proxy: 'check wire.proxy in the scenario, or HTTP_PROXY, HTTPS_PROXY and ALL_PROXY',
};

const notTls = 'the server there does not speak TLS: check whether http is meant instead of https';
const noSocket = 'there is no such socket: check the path and whether the server is running';

const adviceByCode: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ENOENT: noSocket,
  ENOTSOCK: noSocket,
  EACCES: 'this user may not write to the socket: check its permissions',
};

interface UnansweredTarget {
  readonly isTls: boolean;
  readonly hasClientCertificate: boolean;
}

const certificateAdvice = ({ hasClientCertificate }: UnansweredTarget): string =>
  hasClientCertificate
    ? 'the server does not accept the client certificate of wire.clientCert: check which authority it trusts, and the dates of the certificate'
    : 'the server wants a client certificate: name its PEM files in wire.clientCert and wire.clientKey';

/** Returns advice on an error that came before the first answer of a target; `null` if there is no advice. */
export const connectAdvice = (error: Error, target: UnansweredTarget): string | null => {
  const code = codeOf(error);
  const known = adviceByCode[code];
  if (known !== undefined) return known;
  if (certificateAlert.test(code)) return certificateAdvice(target);
  // Before TLS 1.3, only this general alert says that the client's certificate is missing.
  if (/^ERR_SSL_.*ALERT_HANDSHAKE_FAILURE/.test(code))
    return `the server ended the TLS handshake: if it has a cipher in common with this machine, ${certificateAdvice(target)}`;
  const isClosed = code === 'UND_ERR_SOCKET' || (target.isTls && code === 'ECONNRESET');
  if (isClosed && target.isTls) {
    const why = target.hasClientCertificate
      ? 'accept another client certificate'
      : 'want a client certificate (wire.clientCert)';
    return `the server closed the connection without an answer: it may ${why}, or not speak HTTP: check the port`;
  }
  // A parser error, or a close before the head of a response, means that the program at this address does not speak
  // HTTP.
  if (isClosed || isParserError(error))
    return `the server there does not speak HTTP: check the port${target.isTls ? '' : ', and whether https is meant instead of http'}`;
  const cause = failureCause(error, { connection: null, sinceSent: null, hasResponse: false });
  return advice[cause] ?? null;
};

/**
 * Returns advice on a status 400 whose text complains about TLS; `null` for any other answer. The recognised texts are
 * from nginx (`ngx_http_special_response.c`), Go (`net/http/server.go`) and Apache (`ssl_engine_io.c`).
 */
export const tlsComplaint = (
  status: number,
  text: string,
  target: UnansweredTarget,
): string | null => {
  if (status !== 400) return null;
  if (/No required SSL certificate was sent|The SSL certificate error/i.test(text))
    return certificateAdvice(target);
  return /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|plain HTTP to an SSL-enabled/i.test(
    text,
  )
    ? 'the server there speaks TLS: write https instead of http'
    : null;
};

/**
 * Returns whether an error may mean that undici has rejected a header that is folded over two lines. The same error can
 * have other causes. curl, Go and Weir's own transport accept folded headers.
 */
export const isFoldedHeader = (error: unknown): boolean =>
  isParserError(error) &&
  /whitespace after header value|Invalid header value char/i.test(String(error));

export const failureDetail = (error: unknown): string => {
  if (error instanceof AggregateError) return failureDetail(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  if (isFoldedHeader(error))
    return `${error.message}: a header may be folded over two lines (RFC 9112, section 5.2), which the transport socket reads`;
  // OpenSSL's messages also contain a thread number and a source line, so only the reason is shown.
  if ('library' in error && 'reason' in error) return `${String(error.reason)} (${code})`;
  return code !== '' && !error.message.includes(code)
    ? `${error.message} (${code})`
    : error.message;
};
