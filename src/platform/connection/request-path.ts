import { unixTarget } from '../../model/plan/unix-target.ts';

/** Where a base address leads. */
interface TargetAddress {
  /** The address in HTTP. The host of a Unix socket is `localhost`, as in the requests of curl's manual. */
  readonly url: URL;
  /** `null` for TCP. */
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
 * Returns what turns a path below the base address into the path that is sent: behind the base address's own path, and with
 * its query, such as `?api-version=2024-10-21`, on every request. `paths` are the target's own paths by the usual ones.
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
