export const checkTopics = [
  'models',
  'chat-parameters',
  'chat-answers',
  'streams',
  'speech',
  'transcription',
  'authentication',
  'errors',
  'limits',
  'versioning',
] as const;

/** The topics that are checked only if `--only` names them. */
export const namedTopics = ['usage', 'disconnects'] as const;
export type CheckTopic = (typeof checkTopics)[number] | (typeof namedTopics)[number];

/** Known gaps of these servers are reported separately from violations; `spec` has none. */
export const checkProfiles = ['spec', 'openai', 'litellm', 'vllm', 'llama.cpp'] as const;
export type CheckProfile = (typeof checkProfiles)[number];
