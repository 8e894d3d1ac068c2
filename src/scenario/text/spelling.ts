import { distance } from 'fastest-levenshtein';

/** This file finds the word that a user probably meant (“did you mean”). */

/** Words that other load generators use. The values are the words that Weir uses. */
const synonyms: Readonly<Record<string, string>> = {
  users: 'vus concurrency connections threads clients workers',
  iterations: 'requests requestcount numrequests count n',
  rate: 'rps qps requestrate arrivalrate frequency lambda',
  duration: 'time for length',
  every: 'interval stepduration',
  over: 'during in',
  to: 'target',
  from: 'startrate start',
  total: 'overall request',
  idle: 'read readtimeout',
  requestsPerMinute: 'rpm requestlimit requestspersecond',
  tokensPerMinute: 'tpm tokenlimit',
  user: 'human',
  assistant: 'ai bot',
  none: 'unlimited infinite off',
  grace: 'gracefulstop graceperiod benchmarkgraceperiod',
  warmUp: 'warmupduration warmuptime',
  thinkTime: 'sleep pause think',
  inFlight: 'maxinflight maxconcurrency maxvus',
  deadlines: 'timeout timeouts',
  target: 'url baseurl endpoint host',
  wire: 'tls ssl http connection connections transport',
  objectives:
    'thresholds threshold slo slos sla slas assertions assert checks gate gates criteria goals',
  retry: 'retries maxretries attempts',
  attempts: 'retries maxretries tries max',
  keys: 'key apikey apikeys auth',
  load: 'executor scenario scenarios',
  stages: 'phases',
  kind: 'type endpointtype executor stream streaming',
  prompt: 'input text question content user',
  messages: 'images image pictures',
  key: 'value token secret',
  cost: 'usd eur dollars money',
  firstToken: 'ttft timetofirsttoken',
  prompts: 'texts inputs',
  text: 'input prompt sentence transcript reference groundtruth',
  texts: 'inputs prompts',
  format: 'responseformat outputformat audioformat',
  clips: 'clip file files audio audios audiofile manifest',
  file: 'path clip audio',
  granularities: 'timestampgranularities timestamps granularity',
  verbose_json: 'verbose',
  voice: 'speaker',
  language: 'lang locale',
  prices: 'price pricing costs cost',
  input: 'prompt in inputtokens prompttokens',
  output: 'completion out outputtokens completiontokens',
  speech: 'tts texttospeech audiospeech say',
  transcription:
    'transcriptions transcribe stt asr speechtotext audiotranscription audiotranscriptions whisper',
  maxTokens: 'maxcompletiontokens outputtokens maxoutputtokens',
  verifyTls: 'insecure insecureskiptlsverify insecureskipverify',
  reuse: 'keepalive reuseconnections connectionreuse',
  maxRequestsPerConnection: 'maxrequestsperconn requestsperconnection',
  constant: 'constantarrivalrate fixed',
  ramping: 'rampingarrivalrate ramp linear',
  closed: 'constantvus concurrency',
  'chat-stream': 'stream streaming',
  ttft: 'timetofirsttoken firsttoken firsttokenlatency',
  gap: 'itl intertokenlatency chunkgap tbt',
  tpot: 'timeperoutputtoken',
  endToEnd: 'latency e2elatency responsetime httpreqduration requestlatency',
  errorRate: 'errors failurerate failrate httpreqfailed',
  limitedRate: '429rate ratelimited',
  completedRate: 'throughput requestthroughput rps qps',
  outputTokenRate: 'outputthroughput tokenthroughput tps',
  mean: 'avg average',
  median: 'med',
};

const normalise = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const sortedLetters = (word: string): string => word.split('').toSorted().join('');

/**
 * Returns the choice with the same meaning as `word`; `null` without such a choice. `word` may be the choice in another
 * spelling, or the word of another tool for the choice.
 */
export const synonym = (word: string, choices: readonly string[]): string | null => {
  const wanted = normalise(word);
  return (
    choices.find((choice) => normalise(choice) === wanted) ??
    choices.find((choice) => synonyms[choice]?.split(' ').includes(wanted)) ??
    null
  );
};

/**
 * Returns the choice with which a word such as `to 5/s` or `to:5/s` begins. YAML reads a key and its value as one word
 * if the colon after the key or the space after the colon is missing.
 */
export const withoutColon = (word: string, choices: readonly string[]): string | null =>
  choices.find((choice) => word.startsWith(`${choice} `) || word.startsWith(`${choice}:`)) ?? null;

/**
 * Returns the choice that is most similar to `word`; `null` if no choice is similar. Capitals, hyphens and underscores
 * are ignored.
 */
export const nearest = (word: string, choices: readonly string[]): string | null => {
  const wanted = normalise(word);
  if (wanted === '') return null;
  const same =
    synonym(word, choices) ??
    choices.find((choice) => sortedLetters(normalise(choice)) === sortedLetters(wanted));
  if (same !== undefined) return same;
  const [best] = choices
    .map((choice) => ({ choice, away: distance(wanted, normalise(choice)) }))
    .toSorted((a, b) => a.away - b.away);
  return best !== undefined && best.away <= Math.max(1, Math.floor(wanted.length / 3))
    ? best.choice
    : null;
};

/** Returns a hint such as `did you mean "rate"?`; `null` if no choice is similar. */
export const didYouMean = (word: string, choices: readonly string[]): string | null => {
  const near = nearest(word, choices);
  return near === null ? null : `did you mean "${near}"?`;
};
