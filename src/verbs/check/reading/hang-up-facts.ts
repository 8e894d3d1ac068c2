/**
 * The observations when the client hung up from streams. Each fact comes with another fact for comparison. Times are in
 * ms.
 */
export interface HangUpFacts {
  readonly slot: SlotFacts | Unseen;
  readonly generation: GenerationFacts | Unseen;
  readonly charge: ChargeFacts | Unseen;
}

/** The reason why a fact could not be observed. */
export interface Unseen {
  readonly unseen: string;
}

/** What was observed when a key admitted no further stream, and the client hung up from one of its streams. */
export interface SlotFacts {
  /** The number of streams that were admitted at the same time. */
  readonly admitted: number;
  /** How long a further chat was refused while all streams ran, and how often. */
  readonly refusedFor: number;
  readonly refusals: number;
  /** The time from the hang-up until a chat was admitted; `null` if no chat was admitted during the tries. */
  readonly admittedAfter: number | null;
  readonly triedFor: number;
  /** How long the stream would have continued after the hang-up, estimated from a whole stream. */
  readonly naturalRest: number;
  readonly namesInFlight: boolean;
}

/** What the server's metrics said during a stream and after the hang-up. */
export interface GenerationFacts {
  /** The time from the hang-up until no request ran; `null` if a request ran all the time. */
  readonly idleAfter: number | null;
  readonly lookedFor: number;
  readonly naturalRest: number;
  /** The tokens that were generated after the hang-up; `null` if the server does not count tokens. */
  readonly tokensAfter: number | null;
}

/**
 * By how much the rate limit's remaining tokens fell for the stream with a hang-up, and for the whole answer. The cost
 * of the short chats that were sent to learn the number of remaining tokens is not included.
 */
export interface ChargeFacts {
  readonly ofHangUp: number;
  readonly ofWhole: number;
  /** How many token events came before the hang-up, and how many the whole answer had. */
  readonly events: number;
  readonly wholeEvents: number;
  readonly promptTokens: number | null;
}

/** What a streamed chat has received so far. */
export interface HeldStream {
  readonly begun: number;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: number;
  readonly hasEnded: boolean;
  readonly text: string;
  hangUp(): void;
}

/** Returns a count of tokens that an answer reports; `null` if it reports none. */
export const countIn = (
  { text }: Pick<HeldStream, 'text'>,
  name: 'prompt_tokens' | 'completion_tokens',
): number | null => {
  const found = new RegExp(`"${name}"\\s*:\\s*(\\d{1,9})(?!.*"${name}")`, 's').exec(text)?.[1];
  return found === undefined ? null : Number(found);
};
