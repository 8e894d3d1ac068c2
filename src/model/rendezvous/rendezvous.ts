/**
 * The place where the coordinator and the workers of a run meet. It stores small records and large contents, and
 * provides the coordinator's time. Every operation throws a `Problem` if the place cannot be reached, and can then be
 * repeated.
 */
export interface Rendezvous {
  /** The address for messages, without passwords. */
  readonly name: string;
  /** Writes a new record; returns `false` if another exists. A record with the same text counts as written. */
  create(key: string, text: string): Promise<boolean>;
  /** Writes a record, replacing an earlier one. */
  put(key: string, text: string): Promise<void>;
  /** Returns a record; `null` if there is none. */
  get(key: string): Promise<string | null>;
  /** Stores a content under a name. Returns its SHA-256 in hex. */
  store(name: string, content: Uint8Array): Promise<string>;
  /** Reads a content. Throws a `Problem` if it is missing or has another digest. */
  load(name: string, digest: string): Promise<Uint8Array>;
  /** Answers everybody who asks for the time, until the returned function is called. */
  answerTime(now: () => number): Promise<() => Promise<void>>;
  /** Asks for the time of the coordinator's clock; `null` if nobody answers. */
  askTime(): Promise<number | null>;
  clear(): Promise<void>;
  close(): Promise<void>;
}
