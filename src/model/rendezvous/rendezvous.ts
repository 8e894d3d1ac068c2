/**
 * Where the coordinator and the workers of one run meet: small records, large contents, and the time of
 * the coordinator's clock. Every operation may throw a `Problem` while the rendezvous cannot be reached;
 * the same call may then be made again.
 */
export interface Rendezvous {
  /** Its address for messages, without passwords. */
  readonly name: string;
  /** Writes a record that must not exist. `false` if there is another; `true` if there is this very text: then an earlier attempt had succeeded. */
  create(key: string, text: string): Promise<boolean>;
  /** Writes a record as a whole, over an earlier one. */
  put(key: string, text: string): Promise<void>;
  /** The record of a key; `null` if there is none. */
  get(key: string): Promise<string | null>;
  /** Keeps a content under a name; returns its SHA-256 in hex. */
  store(name: string, content: Uint8Array): Promise<string>;
  /** Reads a content. Throws a `Problem` if it is missing, or has another digest. */
  load(name: string, digest: string): Promise<Uint8Array>;
  /** Answers everybody who asks for the time, until the returned function is called. */
  answerTime(now: () => number): Promise<() => Promise<void>>;
  /** One question for the time of the coordinator's clock; `null` if nobody answers. */
  askTime(): Promise<number | null>;
  /** Removes all records and contents. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
