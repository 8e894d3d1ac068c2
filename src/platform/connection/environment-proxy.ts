/**
 * The rules by which curl, Go and undici choose a proxy from the environment: undici has them only inside its
 * agent, and our transports open their connections themselves.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The lower-case variable wins, as with curl; an empty one is not set. */
const variable = (environment: Environment, name: string): string =>
  [name, name.toUpperCase()].map((each) => environment[each] ?? '').find((text) => text !== '') ??
  '';

/** `[::1]` and `example.com.` are `::1` and `example.com`. */
const bareHost = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(?<=.)\.$/, '');

/** Splits `host:port`; an address of IPv6 has a port only behind brackets. */
const splitPort = (entry: string): { readonly host: string; readonly port: number | null } => {
  const [, host, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  return host === undefined ? { host: entry, port: null } : { host, port: Number(port) };
};

/** An entry covers its host and all below it; with `*.` or a leading dot only those below. */
const covers = (entry: string, { hostname, port, protocol }: URL): boolean => {
  const wanted = splitPort(entry);
  const actualPort = port === '' ? (defaultPorts[protocol] ?? 0) : Number(port);
  if (wanted.port !== null && wanted.port !== actualPort) return false;
  if (wanted.host === '*') return true;
  const host = bareHost(hostname);
  const below = bareHost(wanted.host).replace(/^\*?\.?/, '');
  const isExact = !wanted.host.startsWith('*') && host === below;
  return isExact || host.endsWith(`.${below}`);
};

/** The proxy that `environment` names for `address`, as written there, or an empty text for a direct connection. */
export const proxyInEnvironment = (address: string, environment: Environment): string => {
  const url = new URL(address);
  const excluded = variable(environment, 'no_proxy')
    .split(/[,\s]+/)
    .filter(Boolean);
  if (excluded.some((entry) => covers(entry, url))) return '';
  const scheme = url.protocol.slice(0, -1);
  const own = variable(environment, `${scheme}_proxy`);
  const proxy = own === '' ? variable(environment, 'all_proxy') : own;
  return proxy === '' || proxy.includes('://') ? proxy : `${scheme}://${proxy}`;
};
