import type { UsageReading } from './read-usage.ts';
import { LearnedBodies, matchedUsage, usageMembers } from './learned-bodies.ts';
import { variableMember } from './learned-body.ts';
import { writtenBytes } from './written-bytes.ts';

export interface CompletionParts {
  readonly choices: readonly (Readonly<Record<string, unknown>> & {
    readonly message: Readonly<Record<string, unknown>> & { readonly content?: unknown };
  })[];
  readonly usage: UsageReading | null;
  /** The number of bytes that the model wrote. If absent, the texts in `choices` are counted. */
  readonly written?: number;
}

/** Returns the number of bytes that the model wrote; NaN if this number is unknown. */
export const writtenIn = ({ choices, written }: CompletionParts): number =>
  written ??
  choices.reduce((sum, { message: own, text }) => sum + writtenBytes(own) + writtenBytes(text), 0);

const message = ['choices', 0, 'message'] as const;

/**
 * The members of a completion whose values do not change the outcome, provided that each value is a text or a count,
 * and that `usage` contains a number of output tokens above 0.
 */
const variableMembers = [
  variableMember('text', 'id'),
  variableMember('count', 'created'),
  variableMember('text', 'model'),
  variableMember('text', 'system_fingerprint'),
  variableMember('writing', ...message, 'content'),
  variableMember('writing', ...message, 'reasoning'),
  variableMember('writing', ...message, 'reasoning_content'),
  ...usageMembers,
];

/**
 * The maximum number of learned bodies. A server's answers have only a few forms, for example one for each finish
 * reason.
 */
const maxForms = 4;

/**
 * Reads completions that are not streamed, without parsing. Most completions equal an earlier completion except for
 * ids, texts and counts. This class therefore compares the bytes between these values instead of parsing the body. A
 * match gives the same result as parsing: the learned body was parsed as a completion, and of the values that may
 * differ (`LearnedBody`) only the counts are part of an outcome.
 */
export class CompletionTemplate {
  readonly #bodies = new LearnedBodies<CompletionParts>(variableMembers, maxForms);

  /**
   * Returns the parts of a completion if its body matches a learned body; `null` if the body must be parsed. The texts
   * in the returned parts are the texts of the learned body, not of the matched body.
   */
  match(bytes: Buffer): CompletionParts | null {
    const learned = this.#bodies.match(bytes, 0, bytes.length);
    if (learned === null) return null;
    const { choices, usage } = learned.reading;
    const counted = usage === null ? null : matchedUsage(learned, usage);
    // If the number of output tokens in `usage` is 0, the tokens are estimated from the texts of the answer. A match
    // does not read the texts, so the body must be parsed.
    if (counted === null || counted.output === 0) return null;
    return { choices, usage: counted, written: learned.fixedWriting + learned.body.written };
  }

  /** Learns a body that was just parsed as `parts`, if the body is suitable. */
  learn(text: string, parts: CompletionParts): void {
    const { usage } = parts;
    if (usage?.isPlain === true && usage.output !== 0)
      this.#bodies.learn(text, parts, true, writtenIn(parts));
  }
}
