import type { SettingsInput } from '../mock/settings.ts';
import { milliseconds } from '../model/quantity.ts';
import { startMock } from './mock-under-bench.ts';
import { startOn } from './processes.ts';
import { chat } from './small-chat.ts';

/** The streams by which the mock is measured, and a mock that serves them. */

/** In ms. */
export const gap = 50;
export const ttft = 200;
/** Requests begin spread over one gap and more, as they do in life. */
const spread = 1000;

const noLimits = { requestsPerMinute: null, tokensPerMinute: null };

export type Load = Readonly<Record<'streams' | 'tokens', number>>;

/** What is measured. */
export const load: Load = { streams: 2000, tokens: 200 };

/** Lets all streams of a load run against a port and resolves when the last has ended. */
export const stream = async (port: number, order: Load, onBegin = async () => undefined) => {
  const body = JSON.stringify({ ...chat, stream: true, max_tokens: order.tokens });
  const client = await startOn(1, ['stream-client.ts'], {
    input: JSON.stringify({ port, streams: order.streams, body, spread }),
  });
  try {
    await onBegin();
    client.child.stdin!.write('go\n');
    await client.next();
  } finally {
    await client.stop();
  }
};

export const portOf = (url: string): number => Number(new URL(url).port);

/** A fresh mock for as long as `use` takes. */
export const withMock = async <T>(
  differing: SettingsInput,
  use: (mock: Awaited<ReturnType<typeof startMock>>) => Promise<T>,
): Promise<T> => {
  const settings = { ttft: milliseconds(ttft), gap: milliseconds(gap), limits: noLimits };
  const mock = await startMock({ ...settings, ...differing });
  try {
    return await use(mock);
  } finally {
    await mock.bound.stop();
  }
};
