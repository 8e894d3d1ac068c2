import type { Result, SliceRun, ResultFacts } from '../model/result/result.ts';
import { lagOver, measuredSeconds } from '../model/result/summary.ts';
import { milliseconds } from '../model/quantity.ts';
import { byText } from './recorder.ts';
import { fromResult, mergeTallies, toResult } from './tally.ts';

/**
 * Returns the slices of several results in order. Each slice keeps its own distribution of lag, because a common
 * distribution would hide a late slice beside a punctual slice.
 */
export const mergeSlices = (results: readonly Result[]): SliceRun[] =>
  results
    .flatMap((result) => {
      const [slice, ...others] = result.slices;
      if (slice === undefined || others.length > 0) return result.slices;
      const lag = lagOver(measuredSeconds(result, result.timeline)).toJSON();
      return [{ ...slice, lag }];
    })
    .toSorted((a, b) => a.index - b.index);

type MergeResult =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly message: string };

interface Part {
  readonly name: string;
  readonly result: Result;
}

const digitsOf = ({ groups, timeline }: Result): string => {
  const distributions = groups.flatMap((group) =>
    Object.values({ ...group.distributions, ...group.partials }),
  );
  const latencies = timeline.flatMap(({ latency }) =>
    Object.values(latency).flatMap((ofKind) => Object.values(ofKind)),
  );
  const digits = (all: readonly { readonly digits: number }[]): string =>
    [...new Set(all.map((each) => each.digits))].toSorted((a, b) => a - b).join(' and ');
  return `${digits(distributions) || '3'} in distributions, ${digits(latencies) || '2'} per second`;
};

/**
 * The properties in which all parts of a run must agree. Each has a name for messages and a function that reads it from
 * a result.
 */
const sharedProperties: readonly (readonly [string, (result: Result) => string])[] = [
  ['the plan’s hash', ({ planHash }) => planHash.slice(0, 12)],
  ['the run’s id', ({ runId }) => runId],
  ['the version of Weir', ({ weir }) => weir],
  ['the number of slices', ({ slices }) => String(slices[0]?.count)],
  [
    'the objectives',
    ({ plan: { objectives, perRequest } }) =>
      [...objectives, ...perRequest].map(({ text }) => text).join(', ') || 'nothing',
  ],
  ['the histograms’ digits', digitsOf],
];

const difference = (first: Part, other: Part): string | null => {
  for (const [what, of] of sharedProperties) {
    const [expected, found] = [of(first.result), of(other.result)];
    if (expected !== found) {
      return `Only slices of one run can be merged, but these differ in ${what}: ${expected} in ${first.name}, ${found} in ${other.name}. Run all slices with the same plan, the same --run-id and the same version of Weir.`;
    }
  }
  return null;
};

const overlap = (parts: readonly Part[]): string | null => {
  const owners = new Map<number, string>();
  for (const { name, result } of parts) {
    for (const { index, count } of result.slices) {
      const owner = owners.get(index);
      if (owner !== undefined) {
        return `Slice ${index}/${count} is in both ${owner} and ${name}; its requests would count twice. Leave one of them out.`;
      }
      owners.set(index, name);
    }
  }
  return null;
};

const firstSlice = ({ slices }: Result): number => Math.min(...slices.map(({ index }) => index));

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const listText = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/**
 * Returns a note that lists the addresses if the slices used more than one address; otherwise `null`. Slices use
 * different addresses, for example, if each slice has an embedded gateway.
 */
const addressNote = (slices: readonly SliceRun[]): string | null => {
  const byAddress = Map.groupBy(
    slices.toSorted((a, b) => a.index - b.index),
    ({ baseUrl }) => baseUrl,
  );
  if (byAddress.size < 2) return null;
  const addresses = [...byAddress].map(
    ([baseUrl, users]) =>
      `${baseUrl} (${users.length === 1 ? 'slice' : 'slices'} ${listText(users.map(({ index }) => String(index)))})`,
  );
  return `The slices used different addresses, and the figures combine all of them: ${listText(addresses)}.`;
};

/**
 * Merges the facts of the parts. A note on the addresses of all parts replaces the notes of single parts. The counters
 * of the reference gateway stay in the merged result only if all parts used one gateway and read the same values.
 */
const factsOf = (results: readonly [Result, ...Result[]]): ResultFacts => {
  const [first] = results;
  const reasons = unique(
    results.flatMap(({ partial }) => (partial === null ? [] : partial.split('; '))),
  );
  const mockCounters = unique(
    results.map(({ gatewayCounters }) =>
      JSON.stringify(
        gatewayCounters && Object.entries(gatewayCounters).toSorted(([a], [b]) => byText(a, b)),
      ),
    ),
  );
  const slices = results.length === 1 ? first.slices : mergeSlices(results);
  const addresses = addressNote(slices);
  const notes = results.flatMap((part) => {
    const own = addressNote(part.slices);
    return part.notes.filter((note) => note !== own);
  });
  return {
    ...first,
    slices,
    scheduled: milliseconds(Math.max(...results.map(({ scheduled }) => scheduled))),
    partial: reasons.length === 0 ? null : reasons.join('; '),
    breach: results.find(({ breach }) => breach !== undefined)?.breach,
    notes: unique(addresses === null ? notes : [...notes, addresses]),
    // Every slice reads the metrics of the same server, so the reading of one slice is enough.
    server: results.find(({ server }) => server !== undefined)?.server,
    gatewayCounters: mockCounters.length === 1 && addresses === null ? first.gatewayCounters : null,
  };
};

/**
 * Merges the results of slices into the result that one process would have written. Counts are summed and histograms
 * are added; no percentile or rate is averaged. Returns a failure with a message if the results are not disjoint parts
 * of one run. `names` are the names of the results in the message, for example their files.
 */
export const mergeResults = (
  results: readonly Result[],
  names: readonly string[] = results.map((_, i) => `result ${i + 1}`),
): MergeResult => {
  const parts = results
    .map((result, i): Part => ({ name: names[i] ?? `result ${i + 1}`, result }))
    .toSorted((a, b) => firstSlice(a.result) - firstSlice(b.result));
  const [first, ...others] = parts;
  if (first === undefined) {
    return { ok: false, message: 'There is nothing to merge: expected at least one result.' };
  }
  for (const other of others) {
    const message = difference(first, other);
    if (message !== null) return { ok: false, message };
  }
  const message = overlap(parts);
  if (message !== null) return { ok: false, message };
  const tally = others.reduce(
    (sum, { result }) => mergeTallies(sum, fromResult(result)),
    fromResult(first.result),
  );
  const facts = factsOf([first.result, ...others.map(({ result }) => result)]);
  return { ok: true, result: toResult(tally, facts) };
};
