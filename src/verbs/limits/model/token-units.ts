interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

interface TokenUnitRow {
  readonly words: string;
  /** The names of this unit in limit headers. */
  readonly headers: readonly string[];
  /**
   * Returns the part of an answer's usage that the limit counts. For a limit of output tokens, `input` is the number of
   * output tokens.
   */
  readonly counted: (usage: Usage) => Usage;
  /** Whether the unit counts only the answer, so that examinations ask for long answers. */
  readonly isOfAnswers: boolean;
}

/** The units of limits of tokens. Azure, Anthropic and Bedrock have separate limits for input and output. */
export const tokenUnits = {
  tokens: {
    words: 'tokens',
    headers: ['tokens'],
    counted: (usage) => usage,
    isOfAnswers: false,
  },
  'input-tokens': {
    words: 'input tokens',
    headers: ['input-tokens', 'tokens-prompt'],
    counted: (usage) => ({ ...usage, output: 0 }),
    isOfAnswers: false,
  },
  'output-tokens': {
    words: 'output tokens',
    headers: ['output-tokens', 'tokens-generated'],
    counted: ({ output }) => ({ input: output, output: 0 }),
    isOfAnswers: true,
  },
} as const satisfies Record<string, TokenUnitRow>;
export type TokenUnit = keyof typeof tokenUnits;

export const wordsOfUnit = ({ unit = 'tokens' }: { readonly unit?: TokenUnit }): string =>
  tokenUnits[unit].words;
