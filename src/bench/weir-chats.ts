import type { TransportName } from '../model/exchange.ts';
import { outcomesOf } from '../model/outcomes.ts';
import { measuredWindow } from '../model/summary.ts';
import { chat, connections, warmUp } from './small-chat.ts';
import type { Turnover } from './turnover.ts';
import { runWeir } from './weir-run.ts';

/** The same chats by the real command, with everything that a run records; of its seconds after the warm-up. */
export const chatsByWeir = async (
  transport: TransportName,
  { url, seconds }: { readonly url: string; readonly seconds: number },
): Promise<Turnover> => {
  const { model, max_tokens: maxTokens, messages } = chat;
  const scenario = {
    name: 'small-chats',
    ...{ target: url, transport, wire: { verifyTls: false } },
    traffic: [{ kind: 'chat', model, prompt: messages[0].content, maxTokens }],
    // The last second is cut short by its end and has no sample of the generator.
    load: { kind: 'closed', users: connections, duration: `${warmUp + seconds + 1}s` },
    warmUp: `${warmUp}s`,
  };
  const result = await runWeir(scenario);
  const { completed, ...others } = outcomesOf(result.groups);
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
