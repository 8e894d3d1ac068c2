import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { smallChat } from '../harness/chat-bytes.ts';
import { startPinned } from '../harness/processes.ts';
import type { StreamClientOptions } from './minimal-stream-client.ts';

/** The mock in its own process, and the streams that it serves. */

/** Starts on the first core the process that a run would start. */
export const startPinnedMock = async (settings: SettingsInput) => {
  const command = ['cli/weir.js', 'mock', '--embedded'] as const;
  const process = await startPinned(0, command, settings, mockNodeFlags);
  const { url, control } = JSON.parse(process.line) as { url: string; control: string };
  const port = Number(new URL(url).port);
  return { process, url, port, control, [Symbol.asyncDispose]: process[Symbol.asyncDispose] };
};

export const streamingSettings = {
  ttft: milliseconds(200),
  gap: milliseconds(50),
  limits: { requestsPerMinute: null, tokensPerMinute: null },
} as const satisfies SettingsInput;

export const measuredLoad = { streams: 2000, tokens: 200 } as const;

/** Runs all streams of a load against a port; `onOpen` is called once all connections are open. */
export const runStreams = async (
  port: number,
  { streams, tokens }: Readonly<Record<'streams' | 'tokens', number>>,
  onOpen = async () => undefined,
): Promise<void> => {
  const body = JSON.stringify({ ...smallChat, stream: true, max_tokens: tokens });
  // Requests begin over this time, in ms, as they do in practice: longer than one gap.
  const options: StreamClientOptions = { port, streams, body, spread: 1000 };
  await using client = await startPinned(1, ['bench/mock/minimal-stream-client.ts'], options);
  await onOpen();
  client.send('go');
  await client.next();
};
