import { fileURLToPath } from 'node:url';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { Problem } from '../problem.ts';

const expected =
  'expected nats://HOST:4222 (a NATS server with JetStream), tls://HOST:4222, or file:///FOLDER (a folder that all machines share)';

type Opening = (
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
) => Promise<Rendezvous>;

const openNats: Opening = async (url, environment) =>
  (await import('./nats-rendezvous.ts')).openNatsRendezvous(url, environment);

const openings: Readonly<Record<string, Opening>> = {
  'nats:': openNats,
  'tls:': openNats,
  'file:': async (url) => {
    const { openFolderRendezvous } = await import('./folder-rendezvous.ts');
    if (url.host !== '') throw new Problem(`--rendezvous: ${expected}; got ${url.href}`);
    return openFolderRendezvous(fileURLToPath(url));
  },
};

/**
 * Opens the rendezvous at an address. Throws a `Problem` if the address is wrong, or if the rendezvous cannot be
 * opened.
 */
export const openRendezvous: (
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
) => Promise<Rendezvous> = async (address, environment) => {
  const url = URL.parse(address);
  const open = openings[url?.protocol ?? ''];
  // The message does not quote the address, which may contain a password.
  if (url === null || open === undefined) throw new Problem(`--rendezvous: ${expected}`);
  return open(url, environment);
};
