/** Returns the whole answer of a chat, as a test's own server sends it. */
export const chatBody = ({
  model = 'm',
  content = 'hello',
  tokens = [1, 1],
}: {
  readonly model?: string;
  readonly content?: string;
  /** The tokens of the prompt and of the answer. */
  readonly tokens?: readonly [prompt: number, answer: number];
} = {}) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: tokens[0],
    completion_tokens: tokens[1],
    total_tokens: tokens[0] + tokens[1],
  },
});

/** Returns an event of a stream with a part of its answer; `finish` is the reason why the answer ends with it. */
export const chatEvent = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
