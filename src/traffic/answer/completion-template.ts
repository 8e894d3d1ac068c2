import { maxPlausibleTokens } from '../cost-of-tokens.ts';
import type { UsageReading } from './read-usage.ts';
import { LearnedBodies, matchedUsage } from './learned-bodies.ts';
import { variableMember } from './learned-body.ts';

/** The parts of a completion from which an answer is made. */
export interface CompletionParts {
  readonly choices: readonly (Readonly<Record<string, unknown>> & {
    readonly message: Readonly<Record<string, unknown>> & { readonly content?: unknown };
  })[];
  readonly usage: UsageReading | null;
}

const message = ['choices', 0, 'message'] as const;

/**
 * The members whose values affect no outcome, provided that they contain a text or a count and that the usage counts
 * output tokens.
 */
const variableMembers = [
  variableMember('text', 'id'),
  variableMember('count', 'created'),
  variableMember('text', 'model'),
  variableMember('text', 'system_fingerprint'),
  variableMember('text', ...message, 'content'),
  variableMember('text', ...message, 'reasoning'),
  variableMember('text', ...message, 'reasoning_content'),
  variableMember('count', 'usage', 'prompt_tokens'),
  variableMember('count', 'usage', 'completion_tokens'),
  variableMember('count', 'usage', 'total_tokens'),
];

/**
 * The maximum number of learned bodies. A server has a few forms of answers, for example one for each reason to finish.
 */
const maxForms = 4;

/**
 * Reads completions in one piece without parsing. Most equal an earlier one except for their ids, texts and counts, so
 * comparing the bytes between these replaces parsing and validating. A match gives the same result as reading the
 * document: the learned body was read as a completion, and of the values that may differ (`LearnedBody`) only the
 * counts enter an outcome.
 */
export class CompletionTemplate {
  readonly #bodies = new LearnedBodies<CompletionParts['choices']>(variableMembers, maxForms);

  /**
   * Returns the parts of a completion if the body matches a learned one; `null` if it must be read. The texts are those
   * of the learned body.
   */
  match(bytes: Buffer): CompletionParts | null {
    const learned = this.#bodies.match(bytes, 0, bytes.length);
    if (learned === null) return null;
    const { prompt_tokens: input, completion_tokens: output } = matchedUsage(learned);
    // If the usage counts no tokens, the answer's own texts are counted, which a match does not read.
    const isCounted = output > 0 && output <= maxPlausibleTokens && input <= maxPlausibleTokens;
    if (!isCounted) return null;
    const usage = { input, output, isOdd: false, isPlain: true };
    return { choices: learned.reading, usage };
  }

  /** Learns a body that was just read as this completion, if it is suitable. */
  learn(text: string, { choices, usage }: CompletionParts): void {
    if (usage?.isPlain === true && usage.output !== 0) this.#bodies.learn(text, choices, true);
  }
}
