/** Which requests’ bodies are kept for debugging. */
const captureModes = ['failed', 'all'] as const;
export type CaptureMode = (typeof captureModes)[number];

export const captureOption = {
  choices: captureModes,
  group: 'Output:',
  describe: 'Also keep bodies in capture.jsonl, prompts included; keys are masked',
} as const;
