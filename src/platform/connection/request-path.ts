/**
 * Returns what turns a path below the base address into the path that is sent: behind the base address's own path, and with
 * its query, such as `?api-version=2024-10-21`, on every request.
 */
export const requestPathsOf = (baseUrl: string): ((path: string) => string) => {
  const { pathname, search } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  if (search === '') return (path) => prefix + path;
  return (path) => prefix + path + (path.includes('?') ? `&${search.slice(1)}` : search);
};
