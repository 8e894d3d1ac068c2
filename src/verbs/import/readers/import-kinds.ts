/**
 * The tools whose files can be imported, and the kinds of files. The help needs this list without loading the readers.
 */
export const importKinds = {
  vegeta: 'targets of vegeta, in its format http or json',
  k6: 'the JSON of k6’s summary, with its thresholds, or of k6 inspect, with its load',
  guidellm: 'a command line of GuideLLM',
  aiperf: 'a command line of AIPerf',
} as const;

export type ImportKind = keyof typeof importKinds;
