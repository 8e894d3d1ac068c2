/** What happened to a part of another tool’s file that a scenario does not simply have as well. */
export const noteKinds = {
  left: 'Left out',
  chosen: 'Chosen',
  unneeded: 'Not needed',
} as const;

/** One part of the source: where it is, and what became of it. No note repeats a value that can be a secret. */
export interface ImportNote {
  readonly kind: keyof typeof noteKinds;
  /** A line, an option, or what the source does not say. */
  readonly place: string;
  readonly message: string;
}

/** A file to be written beside the scenario, which names it. */
export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What another tool’s file means to Weir: a whole scenario, or objectives for one. */
export type Imported = { readonly notes: readonly ImportNote[] } & (
  | {
      readonly kind: 'scenario';
      readonly scenario: Readonly<Record<string, unknown>>;
      readonly files: readonly ImportedFile[];
    }
  | { readonly kind: 'objectives'; readonly objectives: readonly string[] }
);

/** What cannot be imported at all; the message says what was expected. */
export class ImportError extends Error {}

/** Collects the notes on one source. */
export class Notes {
  readonly list: ImportNote[] = [];

  /** What is left out comes first. */
  get sorted(): readonly ImportNote[] {
    return Object.keys(noteKinds).flatMap((kind) => this.list.filter((note) => note.kind === kind));
  }

  left(place: string, message: string): void {
    this.list.push({ kind: 'left', place, message });
  }

  chosen(place: string, message: string): void {
    this.list.push({ kind: 'chosen', place, message });
  }

  unneeded(place: string, message: string): void {
    this.list.push({ kind: 'unneeded', place, message });
  }
}

/** A note as one line, whatever the source holds. */
export const noteLine = ({ kind, place, message }: ImportNote): string =>
  `${noteKinds[kind].padEnd(10)}  ${place}: ${message}`.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g,
    ' ',
  );

/** The key of an imported target: never the one that the source has. */
export const keyReference = '${env:WEIR_API_KEY}';

/** Says what becomes of the key and the limits; `noKey`: that the source has no key, `null` if it has one. */
export const noteKeyAndLimits = (noKey: string | null, notes: Notes): void => {
  const key =
    noKey === null
      ? 'it was not copied: export WEIR_API_KEY=… before the run'
      : `${noKey}, and Weir wants one: export WEIR_API_KEY=none, if the server asks for no key`;
  notes.chosen('key', key);
  notes.chosen(
    'limits',
    'Weir assumes no rate limits of a key: write "limits" if the gateway has any',
  );
};

/** Whether a text has what a scenario would replace by a variable or a secret. */
export const hasTemplate = (value: unknown): boolean =>
  /\$\{(?:env|secret):/.test(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The fields that have a value. */
export const givenFields = (
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
