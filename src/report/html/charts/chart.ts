/** This file defines the data that the page's script draws. It imports nothing, so the script can import its types. */

export type ChartColour =
  | 'p50'
  | 'p95'
  | 'due'
  | 'sent'
  | 'completed'
  | 'limited'
  | 'refused'
  | 'malformed'
  | 'broken'
  | 'dropped'
  | 'cancelled';

export interface ChartLine {
  readonly label: string;
  readonly colour: ChartColour;
  readonly style: 'strong' | 'plain' | 'dashed';
  /** The values, one per bin; `null` draws a gap. */
  readonly values: readonly (number | null)[];
}

/** A row of marks above the plot, which shows how many events fell into each bin. */
export interface ChartMarks {
  readonly label: string;
  readonly colour: ChartColour;
  readonly values: readonly number[];
}

/** One chart over the time of the run. Value i belongs to the seconds from `step × i` to `step × (i + 1)`. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly step: number;
  /**
   * How values are drawn. With `held`, a value is constant over its bin, as a count is. With `joined`, lines join the
   * centres of the bins.
   */
  readonly drawn: 'held' | 'joined';
  readonly lines: readonly ChartLine[];
  readonly marks: readonly ChartMarks[];
}

/**
 * The data of a page. Times are in seconds since the run began. The load ends at `scheduled`. Stages that the run did
 * not reach are left out.
 */
export interface PageData {
  readonly warmUp: number;
  readonly scheduled: number;
  readonly end: number;
  readonly stages: readonly { readonly name: string; readonly from: number }[];
  readonly charts: readonly Chart[];
}
