import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { atMost, type BenchPart, benchRow, takeTurns } from '../harness/bench.ts';
import type { SentTimes } from '../harness/chat-server.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median, percentile } from '../harness/statistics.ts';

const rounds = 5;
const [users, gap, tokens] = [1000, 50, 60];
/** Users begin evenly over the length of a stream. Streams that are due later than this are judged; both in ms. */
const rampUp = gap * tokens;
const settled = rampUp + 1000;
const duration = 4 * rampUp;

/**
 * The p99 of TTFT as measured, less the p99 of the time from sending until the server wrote the first token; in ms.
 * Throws if a stream failed: one that was not read has no error.
 */
const errorOfFirstTokens = async (): Promise<number> => {
  const options = { gap, tokens, certificate: null, keepsTimes: true } as const;
  await using server = await startChatServer(options, mockNodeFlags);
  const load = { kind: 'closed', users, duration: `${duration}ms`, rampUp: `${rampUp}ms` };
  const scenario = streamScenario({ target: server.url, load, transport: 'socket' });
  await using run = await startWeirRun(scenario, { keepsObservations: true });
  const { zero, observations } = await run.observations();
  const { lines } = JSON.parse(await server.times()) as { lines: readonly SentTimes[] };
  const written = new Map(lines.map(({ requestId, sent }) => [requestId, sent[0]]));
  const figures = observations
    .filter(({ due }) => due >= settled)
    .map(({ requestId, sent, outcome }) => {
      const answer = outcome.kind === 'completed' ? outcome.answer : null;
      const at = written.get(requestId);
      if (sent === null || at === undefined || answer?.kind !== 'chat-stream')
        throw new Error(`${requestId}: ${outcome.kind}, so there is no first token to compare`);
      const [first = Number.NaN] = answer.tokenInstants;
      return { measured: first - sent, true: at - zero - sent };
    });
  const p99Of = (name: 'measured' | 'true') =>
    percentile(
      figures.map((figure) => figure[name]),
      0.99,
    );
  return p99Of('measured') - p99Of('true');
};

/** How far the p99 of TTFT lies above the truth while a thousand streams are read. */
export const measureSteadyFirstTokens: BenchPart = async (say) => {
  const title = `${users} streams × ${1000 / gap}/s: p99 of TTFT, measured less true`;
  const { run } = await takeTurns(say, {
    title,
    rounds,
    candidates: ['run'],
    measure: errorOfFirstTokens,
    describe: (error) => `${error.toFixed(2)} ms`,
  });
  return [benchRow(`${title}, median of ${rounds} rounds`, 'ms', median(run), atMost(5))];
};
