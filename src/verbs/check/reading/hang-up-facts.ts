/** What was seen when the client hung up on streams: facts, each with what it was measured beside. Times are in ms. */
export interface HangUpFacts {
  readonly slot: SlotFacts | Unseen;
  readonly generation: GenerationFacts | Unseen;
  readonly charge: ChargeFacts | Unseen;
}

/** Why something could not be seen. */
export interface Unseen {
  readonly unseen: string;
}

/** A key that had as many streams as it is allowed to have in flight, and then hung up on one of them. */
export interface SlotFacts {
  /** The streams that were admitted at the same time. */
  readonly admitted: number;
  /** How long, and how often, a further chat was refused while all streams went on. */
  readonly refusedFor: number;
  readonly refusals: number;
  /** How long after the hang-up a chat was admitted; `null` if none was as long as it was tried. */
  readonly admittedAfter: number | null;
  readonly triedFor: number;
  /** How long the stream would still have taken, as the whole one took. */
  readonly naturalRest: number;
  readonly namesInFlight: boolean;
}

/** What the server's metrics said while a stream ran, and after the client hung up on it. */
export interface GenerationFacts {
  /** How long after the hang-up no request ran any more; `null` if one ran as long as it was looked. */
  readonly idleAfter: number | null;
  readonly lookedFor: number;
  readonly naturalRest: number;
  /** The tokens that were generated after the hang-up; `null` if the server counts none. */
  readonly tokensAfter: number | null;
}

/** By how much the remaining tokens fell, without the chats that read them. */
export interface ChargeFacts {
  readonly ofHangUp: number;
  readonly ofWhole: number;
  /** The token events that had come before the hang-up, and those of the whole answer. */
  readonly events: number;
  readonly wholeEvents: number;
  readonly promptTokens: number | null;
}

/** What has come of a streamed chat so far. */
export interface HeldStream {
  readonly begun: number;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: number;
  readonly hasEnded: boolean;
  readonly text: string;
  hangUp(): void;
}

/** Returns a count of tokens that an answer reports; `null` for none. */
export const countIn = (
  { text }: Pick<HeldStream, 'text'>,
  name: 'prompt_tokens' | 'completion_tokens',
): number | null => {
  const found = new RegExp(`"${name}"\\s*:\\s*(\\d{1,9})(?!.*"${name}")`, 's').exec(text)?.[1];
  return found === undefined ? null : Number(found);
};
