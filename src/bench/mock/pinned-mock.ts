import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { smallChat } from '../harness/chat-bytes.ts';
import { startPinned } from '../harness/processes.ts';

/** The mock in its own process, and the streams that it serves. */

/** Starts on the first core the process that a run would start. */
export const startPinnedMock = async (settings: SettingsInput) => {
  const command = ['cli/weir.js', 'mock', '--embedded'] as const;
  const bound = await startPinned(0, command, settings, mockNodeFlags);
  const { url, control } = JSON.parse(bound.line) as { url: string; control: string };
  return { bound, url, control, [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose]() };
};
export type PinnedMock = Awaited<ReturnType<typeof startPinnedMock>>;

/** In ms. */
export const tokenGap = 50;
export const firstTokenDelay = 200;

export const streamingSettings: SettingsInput = {
  ttft: milliseconds(firstTokenDelay),
  gap: milliseconds(tokenGap),
  limits: { requestsPerMinute: null, tokensPerMinute: null },
};

export type StreamLoad = Readonly<Record<'streams' | 'tokens', number>>;

export const measuredLoad: StreamLoad = { streams: 2000, tokens: 200 };

/** Requests begin over this time, in ms, as they do in practice: longer than one gap. */
const spread = 1000;

/** Runs all streams of a load against a port; `onOpen` is called once all connections are open. */
export const runStreams = async (
  port: number,
  { streams, tokens }: StreamLoad,
  onOpen = async () => undefined,
): Promise<void> => {
  const body = JSON.stringify({ ...smallChat, stream: true, max_tokens: tokens });
  const options = { port, streams, body, spread };
  await using client = await startPinned(1, ['bench/mock/minimal-stream-client.ts'], options);
  await onOpen();
  client.send('go');
  await client.next();
};

export const portOf = (url: string): number => Number(new URL(url).port);
