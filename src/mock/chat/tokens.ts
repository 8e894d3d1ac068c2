/** One token has at most this many characters of the same class. */
const maxRunLength = { space: 0, letter: 20, digit: 3, other: 1 } as const;
type CharacterClass = keyof typeof maxRunLength;

/** Classifies a UTF-16 code unit. Symbols, emoji and scripts without spaces are `other`. */
const classOf = (code: number): CharacterClass => {
  if (code <= 0x20 || code === 0xa0) return 'space';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  const isAsciiLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return isAsciiLetter || (code >= 0xaa && code < 0x2000) ? 'letter' : 'other';
};

const eachToken = (text: string, onToken: (begin: number) => void): void => {
  let run: CharacterClass = 'space';
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const kind = classOf(text.charCodeAt(i));
    if (kind === run && length < maxRunLength[kind]) {
      length += 1;
      continue;
    }
    run = kind;
    length = 1;
    if (kind !== 'space') onToken(i);
  }
};

/** Counts tokens. A word of up to 20 letters, three digits, or any other character except white space is one token. */
export const countTokens = (text: string): number => {
  let tokens = 0;
  eachToken(text, () => {
    tokens += 1;
  });
  return tokens;
};

/** Splits a text into the tokens of `countTokens`. White space belongs to the token before it. */
export const splitTokens = (text: string): readonly string[] => {
  const starts: number[] = [];
  eachToken(text, (begin) => starts.push(begin));
  return starts.map((begin, i) => text.slice(i === 0 ? 0 : begin, starts[i + 1] ?? text.length));
};

/**
 * The 256 words of answers. In o200k, cl100k, p50k and r50k, each word is one token together with the space before it.
 */
export const commonWords: readonly string[] = (
  'about above act after against ago all along always an animal answer appear area art at ' +
  'back be become been before begin being best between bird blue body both boy brought ' +
  'built but call can care cause certain check city class close color common could course ' +
  'cross cut day did direct do dog down dream each early ease eat enough even every eye ' +
  'fact family farm father feet field fill fine first five follow foot force found free ' +
  'from front game get give gold got great ground grow half happen has he hear heat her ' +
  'high his home hot hour how idea in interest is it keep king know language last laugh ' +
  'lead leave less letter light line listen little long love machine main man map may mean ' +
  'men mile minute money more most mountain much must name near never next no note notice ' +
  'now object off old once only or other out own paper pass people person picture place ' +
  'plan plant point pose power press product put quick ran read real red rest river rock ' +
  'round run said saw school sea see self serve several she short show simple sing six ' +
  'sleep small so song sound south spell star state step stood story strong such sure ' +
  'system tail talk tell test that their then these thing think those thought three time ' +
  'together too top town tree try two unit up us usual voice wait want warm was water we ' +
  'weight went west wheel where while who why will with wood work would year yet young'
).split(' ');

/** The log probability of each word. All words of answers are drawn with the same probability. */
const wordLogprob = -Math.log(commonWords.length);
const wordTokens = commonWords.map((word) => ` ${word}`);

const bytesOf = (token: string): readonly number[] => [...Buffer.from(token)];

/**
 * Returns a token's log probability and its `top` likeliest alternatives. All words have the same probability, so the
 * alternatives can be any other words.
 */
export const tokenLogprob = (token: string, top: number) => {
  const isWord = wordTokens.includes(token);
  const logprob = isWord ? wordLogprob : 0;
  const others = isWord ? wordTokens.filter((word) => word !== token).slice(0, top) : [];
  return {
    token,
    logprob,
    bytes: bytesOf(token),
    top_logprobs: [token, ...others]
      .slice(0, top)
      .map((alternative) => ({ token: alternative, logprob, bytes: bytesOf(alternative) })),
  };
};
