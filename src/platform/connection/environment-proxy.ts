import { BlockList, isIP } from 'node:net';

/**
 * The rules by which curl, Go and undici choose a proxy from the environment: undici has them only inside its
 * agent, and our transports open their connections themselves.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** A variable of the environment, and its name as it is spelled there. */
interface Variable {
  readonly name: string;
  readonly text: string;
}

/** The lower-case variable wins, as with curl; an empty one is not set. */
const variable = (environment: Environment, lower: string): Variable | null => {
  for (const name of [lower, lower.toUpperCase()]) {
    const text = environment[name] ?? '';
    if (text !== '') return { name, text };
  }
  return null;
};

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

/** Whether an IP address is that of an entry, in any spelling, or in its range, such as `10.0.0.0/8` (as in curl and Go). */
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

/** An entry covers its host and all below it; with `*.` or a leading dot only those below. */
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

/** The proxy that `environment` names for `url`, as written there, with the variable that names it; `null` for a direct connection. */
export const proxyInEnvironment = (url: URL, environment: Environment): Variable | null => {
  const excluded = (variable(environment, 'no_proxy')?.text ?? '').split(/[,\s]+/).filter(Boolean);
  if (excluded.some((entry) => covers(entry, url))) return null;
  const scheme = url.protocol.slice(0, -1);
  const found = variable(environment, `${scheme}_proxy`) ?? variable(environment, 'all_proxy');
  if (found === null || found.text.includes('://')) return found;
  return { ...found, text: `${scheme}://${found.text}` };
};
