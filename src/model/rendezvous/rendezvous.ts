/**
 * The place where the coordinator and the workers of a run meet. It stores small records and large contents, and tells
 * the coordinator's time. Every operation throws a `Problem` if the place cannot be reached, and may then be called
 * again.
 */
export interface Rendezvous {
  /** The address of this place for messages, without passwords. */
  readonly name: string;
  /**
   * Writes a new record. Returns `false` if a record with another text exists; a record with the same text counts as
   * written.
   */
  create(key: string, text: string): Promise<boolean>;
  /** Writes a record and replaces any earlier one. */
  put(key: string, text: string): Promise<void>;
  /** Returns a record; `null` if it does not exist. */
  get(key: string): Promise<string | null>;
  /** Stores a content under a name. Returns its SHA-256 in hex. */
  store(name: string, content: Uint8Array): Promise<string>;
  /** Reads a content. Throws a `Problem` if it is missing or if its digest differs. */
  load(name: string, digest: string): Promise<Uint8Array>;
  /** Answers all questions for the time, until the returned function is called. */
  answerTime(now: () => number): Promise<() => Promise<void>>;
  /** Asks for the time of the coordinator's clock; returns `null` if no answer comes. */
  askTime(): Promise<number | null>;
  clear(): Promise<void>;
  close(): Promise<void>;
}
