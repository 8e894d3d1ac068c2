import type { ChatResponse } from '../../contract/chat.ts';
import { isPlausibleUsage } from '../cost-of-tokens.ts';
import { learnBody, type LearnedBody, LearningAllowance, variableMember } from './learned-body.ts';

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

/** A learned completion, and where its prompt's and its answer's tokens are. */
interface LearnedCompletion {
  readonly body: LearnedBody;
  readonly choices: ChatResponse['choices'];
  readonly input: number;
  readonly output: number;
}

const partsOf = (
  { body, choices, input, output }: LearnedCompletion,
  bytes: Buffer,
): CompletionParts | null => {
  if (!body.match(bytes, 0, bytes.length)) return null;
  const usage = { prompt_tokens: body.countAt(input), completion_tokens: body.countAt(output) };
  // Without a usage that counts, the answer's texts do, which a match does not read.
  return usage.completion_tokens > 0 && isPlausibleUsage(usage) ? { choices, usage } : null;
};

/** A server has some forms of answers, for example one for each reason to finish. */
const maxBodies = 4;

/**
 * The fast path through completions in one piece: most equal an earlier one except for their ids, texts and counts, so that
 * comparing the bytes between these replaces parsing and validating. A match gives the same as reading the document: a
 * learned body was read as a completion, and of the values that may differ (`LearnedBody`) only the counts enter an outcome.
 */
export class CompletionTemplate {
  /** The one matched last comes first. */
  readonly #learned: LearnedCompletion[] = [];
  readonly #allowance = new LearningAllowance();

  /** What an answer is made of, if the body matches one that was learned; else `null`: then it must be read. Its texts are not the body's. */
  match(bytes: Buffer): CompletionParts | null {
    for (let i = 0; i < this.#learned.length; i += 1) {
      const parts = partsOf(this.#learned[i]!, bytes);
      if (parts === null) continue;
      if (i > 0) this.#learned.unshift(...this.#learned.splice(i, 1));
      this.#allowance.noteMatch();
      return parts;
    }
    return null;
  }

  /** Learns a body that was just read as this completion, if it is suitable. */
  learn(text: string, { choices, usage }: CompletionParts): void {
    if (!usage?.completion_tokens || !this.#allowance.take(text.length)) return;
    const body = learnBody(text, variableMembers);
    if (body === null) return;
    const [input, output] = [body.placeOf('prompt_tokens'), body.placeOf('completion_tokens')];
    if (input < 0 || output < 0) return;
    this.#learned.unshift({ body, choices, input, output });
    this.#learned.splice(maxBodies);
  }
}
