import type { Clip } from '../model/workload/clip.ts';
import { drawFrom } from '../model/workload/draw.ts';
import type { Traffic, TrafficKind, TrafficOf } from '../model/workload/traffic.ts';
import { emptyTargetMemory, type PrepareContext } from './traffic-handler.ts';

/** This file contains a traffic entry of each kind, and tools to prepare requests for tests. */

const chatFields = {
  weight: 1,
  model: 'm',
  conversations: [[{ role: 'user' as const, content: 'Say yes.' }]],
  maxTokens: 16,
  body: {},
  price: null,
};

export const sampleTraffic: { readonly [K in TrafficKind]: TrafficOf<K> } = {
  chat: { kind: 'chat', ...chatFields },
  'chat-stream': { kind: 'chat-stream', ...chatFields },
  speech: {
    kind: 'speech',
    weight: 1,
    model: 's',
    texts: ['Hello, weir.'],
    voice: 'calm.wav',
    format: 'wav',
    speed: null,
    body: {},
  },
  transcription: {
    kind: 'transcription',
    weight: 1,
    model: 't',
    clips: [{ file: 'clip.wav', text: 'The gate is open.' }],
    format: 'json',
    language: null,
    granularities: [],
    oversized: false,
  },
  models: { kind: 'models', weight: 1 },
};

export const sampleEntry = (kind: TrafficKind): Traffic => sampleTraffic[kind];

/** Returns a clip, of 2.5 s by default. */
export const sampleClip = (parts: Partial<Clip> = {}): Clip => ({
  name: 'clip.wav',
  bytes: Buffer.from('RIFF and so on'),
  contentType: 'audio/wav',
  seconds: 2.5,
  text: 'The gate is open.',
  ...parts,
});

export const prepareContextWith = ({
  clip = sampleClip(),
  ...tools
}: Partial<PrepareContext> & { readonly clip?: Clip } = {}): PrepareContext => ({
  draw: drawFrom(1),
  ordinal: () => 0,
  values: () => ({ uuid: '00000000-0000-8000-8000-000000000000', index: 0 }),
  targetMemory: emptyTargetMemory(),
  clips: { clipsOf: () => [clip] },
  ask: () => ({ messages: [{ role: 'user', content: 'Say no.' }], maxTokens: 8 }),
  ...tools,
});
