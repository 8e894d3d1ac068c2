/**
 * The place where the coordinator and the workers of a run meet. It keeps small records and large contents, and
 * tells the coordinator's time. Every operation may throw a `Problem` if it cannot be reached, and can then be
 * repeated.
 */
export interface Rendezvous {
  /** Its address for messages, without passwords. */
  readonly name: string;
  /** Writes a new record; `false` if another exists. One with the same text counts as written. */
  create(key: string, text: string): Promise<boolean>;
  /** Writes a record, over an earlier one. */
  put(key: string, text: string): Promise<void>;
  /** Returns a record; `null` if there is none. */
  get(key: string): Promise<string | null>;
  /** Keeps a content under a name. Returns its SHA-256 in hex. */
  store(name: string, content: Uint8Array): Promise<string>;
  /** Reads a content. Throws a `Problem` if it is missing, or has another digest. */
  load(name: string, digest: string): Promise<Uint8Array>;
  /** Answers everybody who asks for the time, until the returned function is called. */
  answerTime(now: () => number): Promise<() => Promise<void>>;
  /** Asks for the time of the coordinator's clock; `null` if nobody answers. */
  askTime(): Promise<number | null>;
  clear(): Promise<void>;
  close(): Promise<void>;
}
