import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { startPinnedMock } from './start-pinned-mock.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import { smallChat } from '../harness/small-chat.ts';

/** The streams by which the mock is measured, and a mock that serves them. */

/** In ms. */
export const tokenGap = 50;
export const firstTokenDelay = 200;
/** Requests begin spread over one gap and more, as they do in life. */
const spread = 1000;

const noLimits = { requestsPerMinute: null, tokensPerMinute: null };

export type StreamLoad = Readonly<Record<'streams' | 'tokens', number>>;

/** What is measured. */
export const measuredLoad: StreamLoad = { streams: 2000, tokens: 200 };

/** Lets all streams of a load run against a port and resolves when the last has ended. */
export const runStreams = async (
  port: number,
  order: StreamLoad,
  onBegin = async () => undefined,
) => {
  const body = JSON.stringify({ ...smallChat, stream: true, max_tokens: order.tokens });
  const client = await startPinned(1, ['stream-client.ts'], {
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
export const withPinnedMock = async <T>(
  changes: SettingsInput,
  run: (mock: Awaited<ReturnType<typeof startPinnedMock>>) => Promise<T>,
): Promise<T> => {
  const settings = {
    firstTokenDelay: milliseconds(firstTokenDelay),
    tokenGap: milliseconds(tokenGap),
    limits: noLimits,
  };
  const mock = await startPinnedMock({ ...settings, ...changes });
  try {
    return await run(mock);
  } finally {
    await mock.bound.stop();
  }
};
