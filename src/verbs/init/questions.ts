import { Problem } from '../../platform/problem.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import type { Host } from '../../run/input/host.ts';
import { usualFirstToken } from './starter-scenario.ts';

/** A question at a terminal. `read` returns the meaning of an answer, or a sentence that says what was expected. */
interface Question<Answer> {
  readonly text: string;
  /** The answer that Enter alone gives. */
  readonly usual: string;
  readonly read: (answer: string) => { readonly value: Answer } | string;
}

/** Asks a question, and asks again if the answer cannot be used. Throws a `Problem` after a second unusable answer. */
const askTwice = async <Answer>(
  { printer }: Host,
  ask: NonNullable<Host['ask']>,
  { text, usual, read }: Question<Answer>,
): Promise<Answer> => {
  const answerOnce = async () => read((await ask(text)).trim() || usual);
  const first = await answerOnce();
  if (typeof first !== 'string') return first.value;
  printer.say(first);
  const second = await answerOnce();
  if (typeof second !== 'string') return second.value;
  throw new Problem(second);
};

export const askForTarget = (host: Host, ask: NonNullable<Host['ask']>): Promise<string> =>
  askTwice(host, ask, {
    text: 'Base address of the gateway, such as https://host/v1, or mock? ',
    usual: '',
    read: (answer) =>
      /^(https?:\/\/\S+|mock|container)$/.test(answer)
        ? { value: answer }
        : `expected the base address of a gateway (https://host/v1) or mock, got ${answer === '' ? 'nothing' : answer}`,
  });

export const unlistedModel = (model: string, listed: readonly string[]): string =>
  `the target lists no model ${model}: expected one of ${listed.join(', ')}`;

/** The longest list of models that is printed before the question. */
const mostShown = 20;

export const askForModel = (
  host: Host,
  ask: NonNullable<Host['ask']>,
  models: readonly string[],
  usual: string,
): Promise<string> => {
  const more = models.length - mostShown;
  const others = more > 0 ? ` and ${more} more` : '';
  host.printer.say(`Models: ${models.slice(0, mostShown).join(', ')}${others}`);
  return askTwice(host, ask, {
    text: `Which one? [${usual}] `,
    usual,
    read: (answer) => (models.includes(answer) ? { value: answer } : unlistedModel(answer, models)),
  });
};

/** Asks for the gate: the median time to first token that a run must keep. */
export const askForFirstToken = (host: Host, ask: NonNullable<Host['ask']>): Promise<string> =>
  askTwice(host, ask, {
    text: `How soon must the first token come, in the median? A run that is slower ends with exit code 10. [${usualFirstToken}] `,
    usual: usualFirstToken,
    read: (answer) => {
      const time = durationNotation.read(answer);
      return time !== null && time > 0
        ? { value: answer }
        : `expected ${durationNotation.expected}; got ${answer}`;
    },
  });
