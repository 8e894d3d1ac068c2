import {
  add,
  type AuditedChat,
  contentOf,
  isShort,
  type OddUsage,
  onlyIf,
  type UsageChange,
  withCosts,
  withTools,
} from './usage-audit.fixture.ts';

/** Counts by a vocabulary that joins four times the same word into one token. */
const joinedWords = ({ messages }: AuditedChat): number =>
  contentOf({ messages } as AuditedChat)
    .split(/( (\w+)(?: \2)*)/)
    .filter((part, at) => at % 3 === 1 && part !== '')
    .reduce((sum, run) => {
      const words = run.split(' ').length - 1;
      return sum + Math.floor(words / 4) + (words % 4);
    }, 6);

const letters = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
const merges = [
  ['t', 'i'],
  ['m', 'e'],
  ['ti', 'me'],
  [' ', 'time'],
  [' time', ' time'],
] as const;

/** A tokenizer of letters that joins “ time time” into one token. */
export const joiningTokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(
      [...letters, ...merges.map((pair) => pair.join(''))].map((token, id) => [token, id]),
    ),
    merges,
  },
};

const prefixesIn = () => {
  const known: string[] = [];
  return (text: string): number => {
    const shared = known.map((each) => {
      let at = 0;
      while (at < text.length && each[at] === text[at]) at += 1;
      return at;
    });
    known.push(text);
    return (text.slice(0, Math.max(0, ...shared)).match(/ /g) ?? []).length;
  };
};

/** Leaves out the tokens that a cache of prefixes has, of blocks of 16, but for the last; the total fits. */
const withoutCached = (isReported: boolean): UsageChange => {
  const cachedOf = prefixesIn();
  return ({ chat, usage }) => {
    const cached = Math.floor(cachedOf(contentOf(chat)) / 16) * 16;
    return {
      ...usage,
      prompt_tokens: usage.prompt_tokens - cached,
      ...(isReported ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
    };
  };
};

/** Honest gateways but for one thing that the interface does not allow, and that makes nothing dearer. */
export const cacheForms = [
  {
    what: 'cached tokens left out of a prompt whose total fits',
    change: withoutCached(true),
    observed:
      'the same prompt has 1301 prompt tokens, and 21 when it was sent again: the 1280 cached ones are left out',
  },
  {
    what: 'cached tokens left out and not reported',
    change: withoutCached(false),
    observed:
      'the same prompt has 1301 prompt tokens, and 21 when it was sent again: so few that tokens from a cache must be left out, which are not reported',
  },
  {
    what: 'a small part that is cached and left out, so that it could be inside',
    change: (({ usage, isRepeated }) => ({
      ...usage,
      prompt_tokens: usage.prompt_tokens - (isRepeated ? 128 : 0),
      prompt_tokens_details: { cached_tokens: isRepeated ? 128 : 0 },
    })) satisfies UsageChange,
    observed:
      'the same prompt has 1301 prompt tokens, and 1173 when it was sent again: the 128 cached ones are left out',
  },
] as const;

/** Honest gateways, of which nothing may be reported. */
export const honestUsages: readonly OddUsage[] = [
  { what: 'a chat template of 37 tokens', change: add(37) },
  { what: 'tools in the prompt', change: withTools(1) },
  { what: 'cached tokens that cost less', change: withCosts(0.1) },
  {
    what: 'a vocabulary of bytes',
    change: ({ usage, chat }) => ({
      ...usage,
      prompt_tokens: Buffer.byteLength(contentOf(chat)) + 12,
    }),
  },
  {
    what: 'a vocabulary that splits long words',
    change: ({ usage, chat }) => ({
      ...usage,
      prompt_tokens: usage.prompt_tokens + (contentOf(chat).match(/government/g) ?? []).length,
    }),
  },
  {
    what: 'a vocabulary that joins words',
    change: ({ usage, chat }) => ({ ...usage, prompt_tokens: joinedWords(chat) }),
  },
  {
    what: 'a vocabulary that joins words, beside a template of 90 tokens',
    change: ({ usage, chat }) => ({ ...usage, prompt_tokens: 90 + joinedWords(chat) }),
  },
  {
    what: 'declared reasoning',
    change: onlyIf(
      ({ chat }) => isShort(chat),
      ({ usage }) => ({
        ...usage,
        completion_tokens: 182,
        completion_tokens_details: { reasoning_tokens: 178 },
      }),
    ),
    text: (chat) => (isShort(chat) ? 'Yes.' : null),
  },
  {
    what: 'reasoning beside the answer, only in the total',
    change: ({ usage }) => ({
      ...usage,
      completion_tokens_details: { reasoning_tokens: 300 },
      total_tokens: usage.prompt_tokens + usage.completion_tokens + 300,
    }),
  },
  {
    what: 'cached tokens beside the prompt, as Anthropic counts them',
    change: ({ usage: { prompt_tokens: prompt, completion_tokens: output }, isRepeated }) => ({
      input_tokens: isRepeated ? prompt - 1024 : prompt,
      output_tokens: output,
      cache_read_input_tokens: isRepeated ? 1024 : 0,
      total_tokens: undefined,
    }),
  },
];
