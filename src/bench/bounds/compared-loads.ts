/** The loads whose figures are compared with the truth. */

export interface ComparedLoad {
  readonly name: string;
  /** The fields of the scenario beside its name. */
  readonly scenario: Readonly<Record<string, unknown>>;
  /** Milliseconds between two tokens. */
  readonly gap: number;
  /** What share of one core starves the load generator under this load, without stopping it altogether. */
  readonly scantCpu: number;
}

const common = { warmUp: '0s', grace: '20s', wire: { proxy: 'none' } };

const stream = (maxTokens: number) => ({
  kind: 'chat-stream',
  model: 'weir/small',
  prompt: 'hello there',
  maxTokens,
});

export const mixed: ComparedLoad = {
  name: '3/s mixed',
  gap: 20,
  scantCpu: 0.1,
  scenario: {
    ...common,
    traffic: [
      { ...stream(60), weight: 6 },
      { ...stream(40), kind: 'chat', weight: 3 },
      { kind: 'speech', model: 'weir-tts', texts: ['The gate is open.'], weight: 3 },
      { kind: 'transcription', model: 'weir/whisper', weight: 2 },
      { kind: 'models', weight: 1 },
    ],
    load: { kind: 'constant', rate: '3/s', duration: '10s' },
  },
};

export const streams: ComparedLoad = {
  name: '20/s streams',
  gap: 20,
  scantCpu: 0.15,
  scenario: {
    ...common,
    traffic: [stream(40)],
    load: { kind: 'constant', rate: '20/s', duration: '6s' },
  },
};

export const manyStreams: ComparedLoad = {
  name: '1,000 streams',
  gap: 50,
  scantCpu: 0.5,
  scenario: {
    ...common,
    warmUp: '1s',
    traffic: [stream(40)],
    load: { kind: 'closed', users: 1000, duration: '4s', rampUp: '1s' },
  },
};

export const burst: ComparedLoad = {
  name: '500 at once',
  gap: 50,
  scantCpu: 0.5,
  scenario: {
    ...common,
    traffic: [stream(40)],
    load: { kind: 'iterations', users: 500, iterations: 500 },
  },
};

export const comparedLoads = [mixed, streams, manyStreams, burst] as const;
