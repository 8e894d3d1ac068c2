import { chatDocument } from './chat-document.ts';
import { jsonIn } from './json-text.ts';
import type { WrittenChoice } from './check-expectation.ts';

/**
 * This file reads the text and the tool calls of an answer from its JSON. Only entries whose answers must meet an
 * expectation use this file.
 */

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the visible text of a message's content. The content is a text or a list of parts. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(fieldsOf)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
};

/**
 * Returns the arguments of a tool call as a JSON text. The server sends a text or an object; an object is converted to
 * a text.
 */
const argumentsOf = (call: unknown): string => {
  const written = fieldsOf(fieldsOf(call)['function'])['arguments'];
  if (typeof written === 'string') return written;
  return typeof written === 'object' && written !== null ? JSON.stringify(written) : '';
};

/** Returns the tool calls of a message or a delta as a list. Some servers send a single call instead of a list. */
const callsOf = (calls: unknown): readonly unknown[] =>
  typeof calls === 'object' && calls !== null && !Array.isArray(calls) ? [calls] : listOf(calls);

export const choicesOfCompletion = (choices: readonly unknown[]): readonly WrittenChoice[] =>
  choices.map((choice) => {
    const { content, tool_calls: calls } = fieldsOf(fieldsOf(choice)['message']);
    return { text: textOf(content), calls: callsOf(calls).map(argumentsOf) };
  });

export class StreamedChoices {
  readonly #choices = new Map<number, { text: string; readonly calls: Map<number, string> }>();

  add(data: string): void {
    for (const value of listOf(fieldsOf(chatDocument(jsonIn(data)))['choices'])) {
      const { index = 0, delta, message, text } = fieldsOf(value);
      const { content = text, tool_calls: calls } = fieldsOf(delta ?? message);
      const choice = this.#choiceAt(Number(index));
      choice.text += textOf(content);
      for (const [position, call] of callsOf(calls).entries()) {
        const at = Number(fieldsOf(call)['index'] ?? position);
        choice.calls.set(at, (choice.calls.get(at) ?? '') + argumentsOf(call));
      }
    }
  }

  toArray(): readonly WrittenChoice[] {
    return [...this.#choices.values()].map(({ text, calls }) => ({
      text,
      calls: [...calls.values()],
    }));
  }

  #choiceAt(index: number): { text: string; readonly calls: Map<number, string> } {
    const choice = this.#choices.get(index) ?? { text: '', calls: new Map<number, string>() };
    this.#choices.set(index, choice);
    return choice;
  }
}
