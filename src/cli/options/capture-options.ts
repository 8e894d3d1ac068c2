import { captureModes } from '../../run/input/run-request.ts';

export const captureOption = {
  choices: captureModes,
  group: 'Output:',
  describe: 'Also keep bodies in capture.jsonl, prompts included; keys are masked',
} as const;
