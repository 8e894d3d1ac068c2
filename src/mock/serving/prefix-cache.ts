export interface ServingJob {
  readonly model: string;
  readonly promptTokens: number;
  /** The texts of the prompt, in order. */
  readonly prompt: readonly string[];
  /** Tokens of the answer, at least 1. */
  readonly steps: number;
}

/** Prompts are cached in blocks of this many characters, about 64 tokens. */
const blockLength = 256;
/** The most recently used blocks are kept: about six million tokens. */
const capacity = 100_000;

/** FNV-1a, continued from block to block, so that a block's hash covers everything before it too. */
const continueHash = (seed: number, text: string, from: number, to: number): number => {
  let hash = seed;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
};

/** Returns what adds a prompt to its model's cache, and how many of its tokens were not in it. */
export const openPrefixCache = (): ((
  job: Pick<ServingJob, 'model' | 'prompt' | 'promptTokens'>,
) => number) => {
  const known = new Set<string>();
  return ({ model, prompt, promptTokens }) => {
    const text = prompt.join('\0');
    const blocks = Math.floor(text.length / blockLength);
    let hash = 0x811c9dc5;
    let cached = 0;
    for (let block = 0; block < blocks; block += 1) {
      hash = continueHash(hash, text, block * blockLength, (block + 1) * blockLength);
      const name = `${model}\0${block}\0${hash}`;
      if (known.delete(name) && cached === block) cached += 1;
      known.add(name);
    }
    for (const oldest of known) {
      if (known.size <= capacity) break;
      known.delete(oldest);
    }
    return Math.round(promptTokens * (1 - (cached * blockLength) / Math.max(1, text.length)));
  };
};
