/** The used part of `parse-prometheus-text-format`, which has no types. */
declare module 'parse-prometheus-text-format' {
  interface PrometheusFamily {
    readonly name: string;
    readonly metrics: readonly {
      /** Absent of histograms and summaries. */
      readonly value?: string;
      readonly labels?: Readonly<Record<string, string>>;
    }[];
  }
  const parse: (text: string) => readonly PrometheusFamily[];
  export default parse;
}
