import { Problem } from '../problem.ts';

/** The server of a rendezvous does not answer, or not yet. */
export class UnreachableRendezvous extends Problem {}
