/** What the fields of a traffic entry demand of one another. */

/** Fields with a name of their own here, and what the request body calls them. */
export const chatBodyFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
} as const;

/** The ways to say what a chat asks. */
export const chatContentFields = ['prompt', 'prompts', 'messages', 'conversations'] as const;
