import { Client, type Dispatcher } from 'undici';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { connectorTo } from '../connection/connector.ts';
import {
  failureCause,
  failureDetail,
  isNotTls,
  isParserError,
} from '../connection/failure-cause.ts';

/** What one look at the target found, before any load. */
export type Preflight =
  | { readonly kind: 'reached'; readonly status: number }
  /** It cannot be loaded; `message` says why and what to do. */
  | { readonly kind: 'unusable'; readonly message: string };

const timeout = 10_000;

const advice: Partial<Record<BrokenCause, string>> = {
  'connect-refused': 'nothing listens there: is the port right and the server up?',
  'name-not-resolved': 'the host name does not resolve: is it spelt right?',
  'connect-unreachable': 'the host cannot be reached from here',
  tls: 'the TLS handshake failed: give the server’s authority with wire.caFile, or look at the certificate',
  proxy: 'look at wire.proxy in the scenario, or at HTTP_PROXY and HTTPS_PROXY',
  protocol:
    'what answers there does not speak HTTP: is it the right port, and http where https is meant?',
};

const unusableMessage = (url: string, error: Error): string => {
  const cause = failureCause(error, { connection: null, sinceSent: null, hasResponse: false });
  // Before a response head, an HTTP parser’s complaint or a close says that no HTTP server is there.
  const closed = 'code' in error && error.code === 'UND_ERR_SOCKET';
  const hint = isNotTls(error)
    ? 'what answers there does not speak TLS: is http meant where https is given?'
    : isParserError(error) || closed
      ? advice.protocol
      : advice[cause];
  return `the target ${url} cannot be used: ${failureDetail(error)}${hint === undefined ? '' : `; ${hint}`}`;
};

const looksLikeHtml = (contentType: string, body: string): boolean =>
  contentType.includes('text/html') || /^\s*<(!doctype|html|head|body)/i.test(body);

/** A page with one of these statuses stands where the gateway should; a login or an error page may stand in front of it. */
const isPageStatus = (status: number): boolean => status < 400 || status === 404;

/** Where to look, and with what: a path below the base address and the request's headers. */
export interface PreflightRequest {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: string | null;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asks the target one question before any load, to learn whether it can be loaded at all: refused,
 * unresolved, no HTTP and HTML answers are told apart.
 */
export const preflightTarget = async (request: PreflightRequest): Promise<Preflight> => {
  const { baseUrl, wire } = request;
  const { origin, pathname } = new URL(baseUrl);
  const client = new Client(origin, {
    connect: connectorTo({ url: baseUrl, wire, certificates: request.certificates }),
    allowH2: wire.http2,
  });
  try {
    const response: Dispatcher.ResponseData = await client.request({
      method: 'GET',
      path: pathname.replace(/\/$/, '') + request.path,
      headers: { ...request.headers },
      signal: AbortSignal.timeout(timeout),
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
    const body = (await response.body.text()).slice(0, 500);
    if (
      isPageStatus(response.statusCode) &&
      looksLikeHtml(String(response.headers['content-type'] ?? ''), body)
    ) {
      return {
        kind: 'unusable',
        message: `the target ${baseUrl} answers with an HTML page (status ${response.statusCode}) where JSON was expected: the base address of an inference gateway ends in its version, for example https://host/v1`,
      };
    }
    return { kind: 'reached', status: response.statusCode };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'TimeoutError') {
      return {
        kind: 'unusable',
        message: `the target ${baseUrl} did not answer within ${timeout / 1000} s: is it up, and can it be reached from here?`,
      };
    }
    return { kind: 'unusable', message: unusableMessage(baseUrl, error) };
  } finally {
    await client.destroy();
  }
};
