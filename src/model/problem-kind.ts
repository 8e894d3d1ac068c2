/** The subject of a problem: the `code` of an error of the library. The words never change. */
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
