/**
 * What is wrong with a text as an address to send requests to: `null` when nothing is, or when it
 * is no address at all. Never repeats the address, which may hold a password.
 */
export const addressFault = (text: string, url: URL | null): string | null => {
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return /[.:/]/.test(text) ? 'an address begins with http:// or https://' : null;
  }
  if (url.username !== '' || url.password !== '') {
    return 'an address holds no user name or password';
  }
  if (url.search !== '' || url.hash !== '') return 'an address ends before any ? or #';
  const endpoint = /\/(?:chat\/completions|completions|models|audio\/[a-z]+)\/*$/.exec(
    url.pathname,
  );
  return endpoint === null
    ? null
    : `write the base address, without ${endpoint[0].replace(/\/+$/, '')} at its end`;
};
