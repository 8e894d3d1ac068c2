import type { TransportName } from '../../model/observation/exchange.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import { smallChat, closedLoopConnections, warmUpSeconds } from '../harness/small-chat.ts';
import type { ClosedLoopThroughput } from './throughput.ts';
import { runWeir } from '../harness/run-weir.ts';

/** The same chats by the real command, with everything that a run records; of its seconds after the warm-up. */
export const measureWeirChats = async (
  transport: TransportName,
  { url, seconds }: { readonly url: string; readonly seconds: number },
): Promise<ClosedLoopThroughput> => {
  const { model, max_tokens: maxTokens, messages } = smallChat;
  const scenario = {
    name: 'small-chats',
    target: url,
    transport,
    wire: { verifyTls: false },
    traffic: [{ kind: 'chat', model, prompt: messages[0].content, maxTokens }],
    // The last second is cut short by its end and has no sample of the generator.
    load: {
      kind: 'closed',
      users: closedLoopConnections,
      duration: `${warmUpSeconds + seconds + 1}s`,
    },
    warmUp: `${warmUpSeconds}s`,
  };
  const result = await runWeir(scenario);
  const { completed, ...others } = sumOutcomes(result.groups);
  const failed = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (failed > 0) throw new Error(`${failed} of ${failed + completed} requests of weir failed`);
  const window = measuredWindow(result)?.timeline.slice(0, seconds) ?? [];
  const samples = window.map(({ second }) =>
    result.slices[0]?.generator.find((sample) => sample.second === second),
  );
  return {
    requests: window.reduce((sum, { ended }) => sum + ended, 0),
    seconds: window.length,
    cpu: samples.reduce((sum, sample) => sum + (sample?.cpu ?? Number.NaN), 0),
  };
};
