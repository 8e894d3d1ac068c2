/**
 * Reads the address of a Unix socket, written as in nginx's `proxy_pass` and in got: `unix:/run/x.sock`, or
 * `unix:/run/x.sock:/v1` with a base path. `rest` is the base path and its query. Returns `null` for any other address.
 */
export const unixTarget = (
  address: string,
): { readonly socketPath: string; readonly rest: string } | null => {
  const [, socketPath, rest = ''] =
    /^unix:(?:\/\/)?(\/[^:?#]+)(?::([/?][^#]*)?)?$/i.exec(address) ?? [];
  return socketPath === undefined ? null : { socketPath, rest };
};
