import { unixTarget } from '../../model/plan/unix-target.ts';

/** The HTTP address and the socket of a base address. */
interface TargetAddress {
  /** The address for HTTP. For a Unix socket the host is `localhost`, as in the examples of curl's manual. */
  readonly url: URL;
  /** The path of the Unix socket; `null` for TCP. */
  readonly socketPath: string | null;
}

export const targetAddress = (baseUrl: string): TargetAddress => {
  const unix = unixTarget(baseUrl);
  return unix === null
    ? { url: new URL(baseUrl), socketPath: null }
    : { url: new URL(`http://localhost${unix.rest}`), socketPath: unix.socketPath };
};

/** Returns the part of an address before its path, to which another path can be appended. */
export const originOf = (baseUrl: string): string => {
  const { url, socketPath } = targetAddress(baseUrl);
  return socketPath === null ? url.origin : `unix:${socketPath}:`;
};

/**
 * Returns a function that turns a path below the base address into the path to send. It adds the base address's own
 * path, and its query, such as `?api-version=2024-10-21`. `paths` maps usual paths to the target's own.
 */
export const requestPathsOf = (
  baseUrl: string,
  paths: Readonly<Record<string, string>> = {},
): ((path: string) => string) => {
  const { pathname, search } = targetAddress(baseUrl).url;
  const prefix = pathname.replace(/\/+$/, '');
  return (usual) => {
    const path = prefix + (Object.hasOwn(paths, usual) ? paths[usual] : usual);
    return path + (path.includes('?') ? search.replace('?', '&') : search);
  };
};
