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

/** By how much the p99 of TTFT of a whole run is longer than from sending to what the server wrote, in ms. */
const errorOfFirstTokens = async (): Promise<number> => {
  const options = { gap, tokens, certificate: null, keepsTimes: true } as const;
  await using server = await startChatServer(options, mockNodeFlags);
  const load = { kind: 'closed', users, duration: `${duration}ms`, rampUp: `${rampUp}ms` };
  const scenario = streamScenario({ target: server.url, load, transport: 'socket' });
  await using run = await startWeirRun(scenario, { keepsObservations: true });
  const { zero, observations } = await run.observations();
  const { lines } = JSON.parse(await server.times()) as { lines: readonly SentTimes[] };
  const written = new Map(lines.map(({ requestId, sent }) => [requestId, sent[0]]));
  const figures = observations.flatMap(({ requestId, due, sent, outcome }) => {
    const answer = outcome.kind === 'completed' ? outcome.answer : null;
    if (due < settled || sent === null || answer?.kind !== 'chat-stream') return [];
    const [first = Number.NaN] = answer.tokenInstants;
    return [{ measured: first - sent, true: (written.get(requestId) ?? Number.NaN) - zero - sent }];
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
