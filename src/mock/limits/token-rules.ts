import type { ResolvedMockLimits, TokenBug } from '../../model/gateway/mock-limits.ts';

/** The facts about a chat that are known before its answer. */
export interface ChargedChat {
  readonly promptTokens: number;
  readonly promptBytes: number;
  readonly maxTokens: number | null;
  readonly choices: number;
  readonly isStream: boolean;
  /** Whether the client asks for the usage of a stream. */
  readonly asksForUsage: boolean;
}

/** The size of a request that is not a chat. */
export const noChat: ChargedChat = {
  promptTokens: 0,
  promptBytes: 0,
  maxTokens: null,
  choices: 1,
  isStream: false,
  asksForUsage: false,
};

export interface ChatUse {
  readonly cachedTokens: number;
  /**
   * The number of completion tokens that were sent to the client, for all choices together. `whole` is the number of
   * completion tokens of the whole answer.
   */
  readonly written: number;
  readonly whole: number;
  /** Whether the client hung up before the end of the answer. */
  readonly isCut: boolean;
}

export interface ChatCost {
  readonly prompt: number;
  readonly completion: number;
}

const noCost: ChatCost = { prompt: 0, completion: 0 };

/** How the token limit of a gateway works, including its faults. */
export interface TokenRules {
  readonly charging: ResolvedMockLimits['charging'];
  readonly limit: number;
  readonly window: number;
  readonly isEnforced: boolean;
  /** This many processes handle requests in turn, each with its own counter. */
  readonly replicas: number;
  /** The delay of each charge after it is due, in ms. */
  readonly delay: number;
  /** After a refusal, the key is refused for this many ms. */
  readonly lockout: number;
  readonly randomRefusals: number;
  /** What a client that hangs up is charged for: the written tokens, the whole answer, or nothing. */
  readonly hangUp: 'written' | 'whole' | 'free';
  /**
   * Whether the number of remaining tokens in the header falls when tokens are used. If false, the header always shows
   * the same number.
   */
  readonly showsUse: boolean;
  /** Changes the cost of a chat: both the estimate before the answer and the final cost. */
  readonly weigh: (cost: ChatCost, chat: ChargedChat) => ChatCost;
}

type RuleChange = (rules: TokenRules) => Partial<TokenRules>;

const limitTimes =
  (factor: number): RuleChange =>
  ({ limit }) => ({ limit: Math.max(1, Math.round(limit * factor)) });

const weighedBy =
  (change: (cost: ChatCost, chat: ChargedChat) => ChatCost): RuleChange =>
  ({ weigh }) => ({ weigh: (cost, chat) => change(weigh(cost, chat), chat) });

/** The faults of token limits (`limitBugs`), except `wrongLimitName`, which is in `limited-answer.ts`. */
const changesByBug: Record<Exclude<TokenBug, 'wrongLimitName'>, RuleChange> = {
  tokensNeverRefused: () => ({ isEnforced: false }),
  tokenLimitPlus100: limitTimes(2),
  tokenLimitPlus20: limitTimes(1.2),
  tokenLimitMinus20: limitTimes(0.8),
  tokenLimitMinus30: limitTimes(0.7),
  tokenReplicas: () => ({ replicas: 3 }),
  freeStreams: weighedBy((cost, { isStream }) => (isStream ? noCost : cost)),
  freePrompts: weighedBy(({ completion }) => ({ prompt: 0, completion })),
  doublePrompts: weighedBy(({ prompt, completion }) => ({ prompt: 2 * prompt, completion })),
  doubleTokenWindow: ({ window }) => ({ window: 2 * window }),
  lateTokens: ({ delay, window }) => ({ delay: delay + window / 6 }),
  tokenLockout: ({ window }) => ({ lockout: window }),
  randomTokenRefusals: () => ({ randomRefusals: 0.05 }),
  hangUpWhole: () => ({ hangUp: 'whole' }),
  hangUpFree: () => ({ hangUp: 'free' }),
  frozenTokenRest: () => ({ showsUse: false }),
};

const costOfChoices = {
  all: (cost) => cost,
  'prompt-each': ({ prompt, completion }, { choices }) => ({
    prompt: prompt * choices,
    completion,
  }),
  one: ({ prompt, completion }, { choices }) => ({
    prompt,
    completion: Math.ceil(completion / choices),
  }),
} as const satisfies Record<string, TokenRules['weigh']>;

export const tokenRulesOf = (limits: ResolvedMockLimits, declared: number): TokenRules => {
  const { charging, window, bugs } = limits;
  const plain: TokenRules = {
    charging,
    limit: declared,
    window,
    isEnforced: true,
    replicas: 1,
    delay: charging.delay,
    lockout: 0,
    randomRefusals: 0,
    hangUp: 'written',
    showsUse: true,
    weigh: (cost, chat) =>
      charging.streams === 'with-usage' && chat.isStream && !chat.asksForUsage
        ? noCost
        : costOfChoices[charging.choices](cost, chat),
  };
  return bugs.reduce(
    (rules, bug) =>
      Object.hasOwn(changesByBug, bug)
        ? { ...rules, ...changesByBug[bug as keyof typeof changesByBug](rules) }
        : rules,
    plain,
  );
};

/**
 * Returns a prompt's tokens as the gateway counts them. `cached`, known only after the answer, contains the number of
 * cached tokens and the share of their cost that is charged.
 */
const promptOf = (
  { promptTokens, promptBytes }: ChargedChat,
  bytesPerToken: number | null,
  cached = { share: 1, tokens: 0 },
): number => {
  const counted = bytesPerToken === null ? promptTokens : Math.ceil(promptBytes / bytesPerToken);
  const free = (1 - cached.share) * (cached.tokens / Math.max(1, promptTokens));
  return Math.round(counted * (1 - free));
};

/**
 * Returns the estimated cost of a chat before its answer: the prompt, and `max_tokens` (0 if absent) for every choice.
 */
export const expectedCost = (chat: ChargedChat, rules: TokenRules): ChatCost =>
  rules.weigh(
    {
      prompt: promptOf(chat, rules.charging.bytesPerToken),
      completion: (chat.maxTokens ?? 0) * chat.choices,
    },
    chat,
  );

export const usedCost = (chat: ChargedChat, use: ChatUse, rules: TokenRules): ChatCost => {
  if (use.isCut && rules.hangUp === 'free') return noCost;
  const { bytesPerToken, settles, cachedShare } = rules.charging;
  const cached = { share: cachedShare, tokens: use.cachedTokens };
  const prompt = promptOf(chat, settles ? null : bytesPerToken, cached);
  const completion = use.isCut && rules.hangUp === 'whole' ? use.whole : use.written;
  return rules.weigh({ prompt, completion }, chat);
};
