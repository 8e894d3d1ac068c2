import type { ChatResponse } from '../../contract/chat.ts';
import { isPlausibleUsage } from '../cost-of-tokens.ts';
import { LearnedBodies, matchedUsage } from './learned-bodies.ts';
import { variableMember } from './learned-body.ts';

/** The parts of a completion that an answer is made of. */
export type CompletionParts = Pick<ChatResponse, 'choices' | 'usage'>;

const message = ['choices', 0, 'message'] as const;

/** Members on which no outcome depends, as long as they hold a text or a count and the usage counts output. */
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

/** A server has some forms of answers, for example one for each reason to finish. */
const maxBodies = 4;

/**
 * The fast path through completions in one piece: most equal an earlier one except for their ids, texts and counts, so that
 * comparing the bytes between these replaces parsing and validating. A match gives the same as reading the document: a
 * learned body was read as a completion, and of the values that may differ (`LearnedBody`) only the counts enter an outcome.
 */
export class CompletionTemplate {
  readonly #bodies = new LearnedBodies<CompletionParts['choices']>(variableMembers, maxBodies);

  /** What an answer is made of, if the body matches one that was learned; else `null`: then it must be read. Its texts are not the body's. */
  match(bytes: Buffer): CompletionParts | null {
    const learned = this.#bodies.match(bytes, 0, bytes.length);
    if (learned === null) return null;
    const usage = matchedUsage(learned);
    // Without a usage that counts, the answer's texts do, which a match does not read.
    const isCounted = usage.completion_tokens > 0 && isPlausibleUsage(usage);
    return isCounted ? { choices: learned.reading, usage } : null;
  }

  /** Learns a body that was just read as this completion, if it is suitable. */
  learn(text: string, { choices, usage }: CompletionParts): void {
    if (usage?.completion_tokens) this.#bodies.learn(text, choices, true);
  }
}
