import { Problem } from '../problem.ts';

/** An error: the server of a rendezvous does not answer, or does not answer yet. */
export class UnreachableRendezvous extends Problem {
  override readonly kind = 'rendezvous';
}
