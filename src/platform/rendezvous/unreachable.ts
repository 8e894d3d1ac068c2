import { Problem } from '../problem.ts';

/** The error if the server of a rendezvous does not answer, or not yet. */
export class UnreachableRendezvous extends Problem {}
