import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { buildConnector } from 'undici';
import type { Wire } from '../model/plan.ts';

/** The proxy that a plan's wire asks for, or `null` to go direct. */
export const proxyFor = (baseUrl: string, proxy: Wire['proxy']): URL | null => {
  switch (proxy.kind) {
    case 'none':
      return null;
    case 'url':
      return new URL(proxy.url);
    case 'environment': {
      const url = getProxyForUrl(baseUrl);
      return url === '' ? null : new URL(url);
    }
  }
};

const proxyError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'WEIR_PROXY' });

/** A connection on its way; destroying it gives up, whatever stage it is in. */
export interface Connecting {
  destroy(): void;
}

/** Opens one connection and tells its socket, or why there is none; undici calls it. */
export type Connector = (
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => Connecting;

/** Opens a tunnel through `proxy` by CONNECT (RFC 9110, section 9.3.6) and hands its socket on. */
const openTunnel = (
  proxy: URL,
  authority: string,
  done: (error: Error | null, socket: Socket | null) => void,
): Connecting => {
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  const request = (proxy.protocol === 'https:' ? https : http).request({
    host: proxy.hostname,
    port: proxy.port === '' ? undefined : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers,
    agent: false,
  });
  request.once('connect', (response, socket, head) => {
    if (response.statusCode === 200 && head.length === 0) return done(null, socket);
    socket.destroy();
    done(proxyError(`the proxy ${proxy.host} answered CONNECT with ${response.statusCode}`), null);
  });
  request.once('error', (error) => {
    done(proxyError(`the proxy ${proxy.host} cannot be used: ${error.message}`), null);
  });
  request.end();
  return request;
};

/** Like `open`, through a tunnel. */
const throughProxy =
  (proxy: URL, open: Connector): Connector =>
  (options, callback) => {
    const port =
      options.port === '' ? (options.protocol === 'https:' ? '443' : '80') : options.port;
    let current: Connecting = openTunnel(proxy, `${options.hostname}:${port}`, (error, socket) => {
      if (error !== null || socket === null) {
        callback(error ?? proxyError('the proxy gave no socket'), null);
        return;
      }
      current = socket;
      if (options.protocol === 'https:') {
        current = open({ ...options, httpSocket: socket }, callback);
      } else {
        callback(null, socket);
      }
    });
    return { destroy: () => current.destroy() };
  };

/** How one connection to the target is opened: direct or through a proxy, plain or TLS, never with a deadline of its own. */
export const connectorTo = (
  baseUrl: string,
  wire: Wire,
  extraCertificates: string | null,
): Connector => {
  const direct = buildConnector({
    allowH2: wire.http2,
    preferH2: wire.http2,
    timeout: 0,
    rejectUnauthorized: wire.verifyTls,
    ...(extraCertificates === null
      ? {}
      : { ca: [...tls.getCACertificates('default'), extraCertificates] }),
  });
  // It returns the socket that it connects, which its types do not tell.
  const open = direct as unknown as Connector;
  const proxy = proxyFor(baseUrl, wire.proxy);
  return proxy === null ? open : throughProxy(proxy, open);
};
