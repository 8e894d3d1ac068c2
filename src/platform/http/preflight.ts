import type { Dispatcher } from 'undici';
import { undici } from '../undici.ts';
import { connectorTo, type TargetEndpoint } from '../connection/connector.ts';
import {
  connectAdvice,
  failureDetail,
  isFoldedHeader,
  tlsComplaint,
} from '../connection/failure-cause.ts';
import { originOf, requestPathsOf, targetAddress } from '../connection/request-path.ts';

/** The result of one request that is sent to the target before the load. */
export type Preflight =
  | { readonly kind: 'reached'; readonly status: number }
  /**
   * With `doubtful`, the answer is a redirect or an HTML page, or only another path was answered. With `silent`, no
   * answer came. In both cases, chats may still work.
   */
  | { readonly kind: 'doubtful' | 'silent'; readonly message: string }
  /**
   * With `unusable`, the target cannot be loaded. `message` says why, and what to do. `mayAnswer` means that the target
   * accepted the connection, so the target may answer other requests.
   */
  | { readonly kind: 'unusable'; readonly message: string; readonly mayAnswer?: boolean };

/** The default timeout of the request, in ms. */
const defaultTimeout = 10_000;

const unusable = (
  url: string,
  problem: string,
  advice: string | null,
  mayAnswer = false,
): Preflight => {
  const hint = advice === null ? '' : `; ${advice}`;
  const message = `the target ${url} cannot be used: ${problem}${hint}`;
  return { kind: 'unusable', message, mayAnswer };
};

const looksLikeHtml = (contentType: string, body: string): boolean =>
  contentType.includes('text/html') || /^\s*<(!doctype|html|head|body)/i.test(body);

/**
 * Returns whether an HTML page with this status means that there is no gateway at the address. A page with another
 * status may be a login page or an error page of a proxy in front of the gateway.
 */
const isPageStatus = (status: number): boolean => status < 400 || status === 404;

interface PreflightRequest extends TargetEndpoint {
  readonly path: string;
  /**
   * A path at which any target that speaks HTTP answers a `GET`, with whatever status. Weir tries this path if the
   * target closes the connection for `path` without an answer.
   */
  readonly otherPath?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST. Without a body, the request is a GET. */
  readonly body?: string | Buffer;
}

const redirectOf = (
  status: number,
  location: string | undefined,
  base: string,
): string | undefined => {
  if (status < 300 || status > 399 || location === undefined) return undefined;
  const to = URL.parse(location, targetAddress(base).url.href);
  // The query of a redirect may contain the state of a login, so the query is not shown.
  return to === null
    ? location.replaceAll(/[^!-~]/g, '').slice(0, 200)
    : `${to.origin}${to.pathname}`.slice(0, 200);
};

/** The number of bytes of an answer that are read. This number is enough to recognise any page or error body. */
const maxLookedAt = 4096;

/** The maximum size of a list of models, in bytes. This is enough for thousands of models. */
const maxRead = 1024 * 1024;

const firstText = async (body: Dispatcher.ResponseData['body'], most: number): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size >= most) break;
    }
  } catch {
    // A body that is cut off still shows that the server speaks HTTP. So the part that was received is returned.
  }
  return Buffer.concat(pieces).toString('utf8', 0, most);
};

interface FirstLook {
  readonly status: number;
  readonly location: string | null;
  readonly contentType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends the request and reads the beginning of its answer. `cancel` ends the request at any stage, even while the
 * connection is being opened.
 */
const beginLook = (
  request: PreflightRequest,
  most = maxLookedAt,
): {
  readonly seen: Promise<FirstLook>;
  readonly isConnected: () => boolean;
  readonly cancel: () => Promise<void>;
} => {
  const { origin } = targetAddress(request.url).url;
  const open = connectorTo(request);
  let cancelConnect = (): void => undefined;
  let isConnected = false;
  const client = new (undici().Client)(origin, {
    connect: (options, callback) => {
      cancelConnect = open(options, (...result) => {
        isConnected = result[0] === null;
        callback(...result);
      });
    },
    allowH2: request.wire.http2,
  });
  const look = async (): Promise<FirstLook> => {
    const { statusCode, headers, body } = await client.request({
      method: request.body === undefined ? 'GET' : 'POST',
      path: requestPathsOf(request.url, request.wire.paths)(request.path),
      headers: { ...request.headers },
      body: request.body ?? null,
    });
    const contentType = String(headers['content-type'] ?? '');
    const heads = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const text = await firstText(body, most);
    const location = headers['location'] === undefined ? null : String(headers['location']);
    return { status: statusCode, location, contentType, text, headers: Object.fromEntries(heads) };
  };
  return {
    seen: look(),
    isConnected: () => isConnected,
    cancel: async () => {
      const destroyed = client.destroy().catch(() => undefined);
      // undici does not cancel the attempt to connect, so Weir cancels the attempt.
      cancelConnect();
      await destroyed;
    },
  };
};

/** Returns advice for an address that returns an HTML page instead of JSON. */
const pageAdvice = (url: string): string =>
  /\/v\d+\w*\/*$/.test(targetAddress(url).url.pathname)
    ? 'the gateway lists its models at another address, or to none'
    : 'the base address of an inference gateway ends in its version, for example https://host/v1';

/**
 * Returns why an answer that is a redirect or an HTML page probably does not come from a gateway. Returns `null` for
 * any other answer.
 */
const doubtOf = (
  url: string,
  address: string,
  { status, location, contentType, text }: FirstLook,
): string | null => {
  if (status >= 300 && status < 400) {
    const to = redirectOf(status, location ?? undefined, url);
    const where = to === undefined ? '' : ` to ${to}`;
    return `${address} answers with a redirect (status ${status})${where} instead of JSON, and Weir follows none: if chats are redirected too, that is the address to test`;
  }
  return isPageStatus(status) && looksLikeHtml(contentType, text)
    ? `${address} answers with an HTML page (status ${status}) instead of JSON: ${pageAdvice(url)}`
    : null;
};

/**
 * Returns the status, headers and text of an answer to a request before the load; `null` if the request fails or times
 * out.
 */
export const answerTo = async (
  request: PreflightRequest,
  timeout = defaultTimeout,
): Promise<Pick<FirstLook, 'status' | 'text' | 'headers'> | null> => {
  const { seen, cancel } = beginLook(request, maxRead);
  const answer = seen.catch(() => null);
  const { promise: late, resolve: timeOut } = Promise.withResolvers<null>();
  const timer = setTimeout(timeOut, timeout, null);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    await cancel();
  }
};

/** Returns whether the target answers a `GET` of `otherPath` with any status. */
const answersElsewhere = async (request: PreflightRequest, timeout: number): Promise<boolean> =>
  request.otherPath !== undefined &&
  (await answerTo({ ...request, path: request.otherPath }, timeout)) !== null;

/**
 * Sends a request before the load, to learn whether the target can be loaded. If the target closes the connection
 * without an answer, sends another request to `otherPath`. A target cannot be loaded if it refuses connections, if its
 * name does not resolve, or if it does not speak HTTP. If the answer is missing or is not JSON, other paths may still
 * work. Each request takes at most `timeout` ms, and only the beginning of its answer is read.
 */
export const preflightTarget = async (
  request: PreflightRequest,
  timeout = defaultTimeout,
): Promise<Preflight> => {
  const { url, certificates } = request;
  const target = {
    isTls: url.startsWith('https:'),
    hasClientCertificate: (certificates?.client ?? null) !== null,
  };
  const { seen, isConnected, cancel } = beginLook(request);
  const { promise: late, resolve: timeOut } = Promise.withResolvers<null>();
  const timer = setTimeout(timeOut, timeout, null);
  const path = requestPathsOf(url, request.wire.paths)(request.path);
  const address = `GET ${originOf(url)}${path}`;
  try {
    const look = await Promise.race([seen, late]);
    if (look === null) {
      seen.catch(() => undefined);
      const silence = `did not answer within ${timeout / 1000} s`;
      return isConnected()
        ? { kind: 'silent', message: `${address} ${silence}` }
        : {
            kind: 'unusable',
            message: `the target ${url} ${silence}: check that it is running and reachable from here`,
          };
    }
    const complaint = tlsComplaint(look.status, look.text, target);
    if (complaint !== null) return unusable(url, `it answers ${look.status}`, complaint);
    const message = doubtOf(url, address, look);
    return message === null
      ? { kind: 'reached', status: look.status }
      : { kind: 'doubtful', message };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A folded header is no failure, since the load may use the other transport, which accepts folded headers.
    if (isFoldedHeader(error)) return { kind: 'reached', status: 0 };
    // Another path is tried, since some proxies close the connection for every unknown path. For example, nginx does so
    // with its status 444.
    const mayAnswer = isConnected() && !target.isTls;
    if (mayAnswer && (await answersElsewhere(request, timeout)))
      return {
        kind: 'doubtful',
        message: `${address} is closed without an answer, while ${request.otherPath} is answered: the gateway lists its models at another address, or to none`,
      };
    return unusable(url, failureDetail(error), connectAdvice(error, target), mayAnswer);
  } finally {
    clearTimeout(timer);
    await cancel();
  }
};
