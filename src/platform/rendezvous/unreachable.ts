import { Problem } from '../problem.ts';

/** Thrown if the server of a rendezvous does not answer. The server may answer later. */
export class UnreachableRendezvous extends Problem {
  override readonly kind = 'rendezvous';
}
