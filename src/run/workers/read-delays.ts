import type { Observation, ReadDelays } from '../../model/observation/observation.ts';
import type { Answer } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';
import type { RunClock } from '../../platform/host/clock.ts';

/** When the user had the first of an answer that comes in parts; `null` for one that comes whole. */
const firstOf = (answer: Answer): Instant | null => {
  if (answer.kind === 'chat-stream') return answer.firstToken;
  return answer.kind === 'speech' ? answer.firstAudio : null;
};

/**
 * The delays of all tokens are noted of the streams that have this many tokens together, then of one stream in eight, which counts for
 * eight: to record each takes as long as to read it.
 */
const allTokens = 20_000;
const sampleEvery = 8;

/** Adds to completed observations how long their reads can have waited in this thread's event loop. */
export const withReadDelays = (
  { readDelay, readDelays }: RunClock,
  observe: (observation: Observation) => void,
): ((observation: Observation) => void) => {
  let [streams, tokens] = [0, 0];
  const tokenDelays = (answer: Answer): Pick<ReadDelays, 'tokens' | 'weight'> => {
    if (answer.kind !== 'chat-stream') return { tokens: null };
    tokens += answer.tokenInstants.length;
    if (tokens <= allTokens) return { tokens: readDelays(answer.tokenInstants) };
    streams += 1;
    if (streams % sampleEvery !== 0) return { tokens: null };
    return { tokens: readDelays(answer.tokenInstants), weight: sampleEvery };
  };
  const readDelaysOf = (answer: Answer, ended: Instant): ReadDelays => {
    const first = firstOf(answer);
    const last = answer.kind === 'chat-stream' ? (answer.lastToken ?? ended) : ended;
    return {
      first: first === null ? null : readDelay(first),
      end: readDelay(last),
      ...tokenDelays(answer),
    };
  };
  return (observation) => {
    const { outcome, ended } = observation;
    observe(
      outcome.kind === 'completed'
        ? { ...observation, readDelays: readDelaysOf(outcome.answer, ended) }
        : observation,
    );
  };
};
