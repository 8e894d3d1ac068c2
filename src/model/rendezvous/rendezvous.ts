/**
 * The store through which the coordinator and the workers of a run communicate. It keeps small records and large
 * contents, and tells workers the coordinator's time. Every operation throws a `Problem` if the store cannot be
 * reached. The caller may then repeat the operation.
 */
export interface Rendezvous {
  /** The store's address in messages, without passwords. */
  readonly name: string;
  /**
   * Writes a new record. Returns `false` if a record with another text exists. A record with the same text counts as
   * written.
   */
  create(key: string, text: string): Promise<boolean>;
  /** Writes a record and replaces any earlier record of the same key. */
  put(key: string, text: string): Promise<void>;
  /** Returns the text of a record; `null` if the record does not exist. */
  get(key: string): Promise<string | null>;
  /** Stores a content under a name. Returns its SHA-256 in hex. */
  store(name: string, content: Uint8Array): Promise<string>;
  /** Reads a content. Throws a `Problem` if the content is missing, or if its SHA-256 differs from `digest`. */
  load(name: string, digest: string): Promise<Uint8Array>;
  /** Answers workers' requests for the time, until the returned function is called. */
  answerTime(now: () => number): Promise<() => Promise<void>>;
  /** Asks for the time of the coordinator's clock, in ms; returns `null` if no answer comes. */
  askTime(): Promise<number | null>;
  clear(): Promise<void>;
  close(): Promise<void>;
}
