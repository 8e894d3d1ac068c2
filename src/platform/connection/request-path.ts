import { unixTarget } from '../../model/plan/unix-target.ts';

/** The parts of a base address that an HTTP request and its socket need. */
interface TargetAddress {
  /** The address for HTTP. The host for a Unix socket is `localhost`, as in the examples of curl's manual. */
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

/** Returns the part of an address before its path and query. */
export const originOf = (baseUrl: string): string => {
  const { url, socketPath } = targetAddress(baseUrl);
  return socketPath === null ? url.origin : `unix:${socketPath}:`;
};

/**
 * Returns a function that completes a path below the base address. The function puts the path of the base address
 * before the given path, and appends the query of the base address, such as `?api-version=2024-10-21`. `paths` maps a
 * usual path to the path that the target has instead.
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
