/** What keeps a text that begins as an address does from being one; what looks like a port may be half a password. */
const malformedAddressProblem = (text: string): string => {
  const [, authority = ''] = /^https?:\/*([^/?#\\]*)/i.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host === '') return 'the host name after // is missing';
  const [, port] = /:([^:\]]*)$/.exec(host) ?? [];
  const isPort =
    port === undefined || port === '' || (/^\d+$/.test(port) && Number(port) <= 65_535);
  return isPort
    ? 'the text after // is not a host name'
    : `its port is invalid: expected a number from 1 to 65535${text.includes('@') ? '' : `, got ${port}`}`;
};

/**
 * What is wrong with a text as an address to send requests to: `null` when nothing is, or when it
 * is no address at all. Never repeats the address, which may hold a password.
 */
export const addressProblem = (text: string, url: URL | null): string | null => {
  if (url === null && /^https?:\/\//i.test(text)) return malformedAddressProblem(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return /[.:/]/.test(text) ? 'an address must begin with http:// or https://' : null;
  }
  if (url.username !== '' || url.password !== '') {
    return 'an address must not contain a user name or password';
  }
  if (url.search !== '' || url.hash !== '') return 'an address must not contain ? or #';
  const endpoint = /\/(?:chat\/completions|completions|models|audio\/[a-z]+)\/*$/.exec(
    url.pathname,
  );
  return endpoint === null
    ? null
    : `write the base address, without ${endpoint[0].replace(/\/+$/, '')} at its end`;
};
