/**
 * The subject of a problem. Programs that use the library read the subject as the `code` of an error, so the words
 * never change.
 */
export type ProblemKind =
  | 'configuration'
  | 'scenario'
  | 'key'
  | 'target'
  | 'budget'
  | 'output'
  | 'package'
  | 'rendezvous'
  | 'stopped';
