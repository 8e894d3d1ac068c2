import { basename, dirname, join, parse, relative } from 'node:path';
import { createText, fileErrorCode } from '../../platform/files/plain-files.ts';
import { fileBounds, readBytes, readTextFile } from '../../platform/files/whole-file.ts';
import { whyUnreadable, whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { readStandardInput } from '../../platform/standard-streams.ts';
import { importKinds, type ImportKind } from './readers/import-kinds.ts';
import {
  importText,
  readTargets,
  recognise,
  importedText,
  insertObjectives,
} from './readers/import-source.ts';
import { type Imported, ImportError, noteLine } from './readers/imported.ts';
import { utf16Of } from '../../model/text-encoding.ts';
import { quotedWord } from '../../scenario/text/quoted-word.ts';
import { schemaFor } from '../../run/input/schema-address.ts';
import type { Host } from '../../run/input/host.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';

interface ImportRequest {
  /** The path of the file: `/dev/stdin` for standard input, `undefined` if a command is given instead. */
  readonly file: string | undefined;
  readonly command: readonly string[];
  readonly from: ImportKind | undefined;
  readonly out: string | undefined;
  readonly into: string | undefined;
  readonly rate: string | undefined;
  readonly duration: string | undefined;
}

interface Source {
  readonly text: string;
  readonly name: string;
}

const rejectExisting = async (path: string): Promise<void> => {
  if (await pathExists(path))
    throw new Problem(`${path} exists already: name another file with --out FILE`);
};

const unreadable = (path: string, error: unknown): Problem =>
  new Problem(`${path} cannot be read: ${whyUnreadable(error)}`);

/**
 * Decodes a text. PowerShell writes UTF-16, usually with a byte order mark. Other Windows programs write UTF-8 with a
 * byte order mark.
 */
const decodedText = (bytes: Uint8Array): string =>
  new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes);

const readSource = async ({ file, command }: ImportRequest): Promise<Source> => {
  if (file === undefined) {
    if (command.length > 0)
      return { text: command.map(quotedWord).join(' '), name: 'the command line' };
    throw new Problem('expected a file, - for standard input, or a command line behind --');
  }
  if (command.length > 0)
    throw new Problem('expected a file or a command line behind --, not both');
  if (file === '/dev/stdin') {
    const text = await readStandardInput(fileBounds.imported);
    if (text !== null) return { text: text.replace(/^\uFEFF/, ''), name: 'standard input' };
    throw new Problem(
      `standard input has more than ${fileBounds.imported / 1024 ** 2} MiB, the most that is read: give a shorter file`,
    );
  }
  try {
    return { text: decodedText(await readBytes(file, fileBounds.imported)), name: basename(file) };
  } catch (error) {
    throw unreadable(file, error);
  }
};

/** Reads the bodies that vegeta's targets keep in files. Paths are relative to the current folder, as in vegeta. */
const readBodies = async (text: string): Promise<ReadonlyMap<string, Uint8Array | string>> => {
  const paths = readTargets(text).flatMap(({ body }) => (typeof body === 'string' ? [body] : []));
  const bodies = new Map<string, Uint8Array | string>();
  for (const path of new Set(paths)) {
    try {
      bodies.set(path, await readBytes(path, fileBounds.imported));
    } catch (error) {
      bodies.set(path, `the file of its body: ${unreadable(path, error).message}`);
    }
  }
  return bodies;
};

/** The advice for files that need no import, since a scenario can name them directly. */
const noImport =
  'A file of prompts (ShareGPT, a batch of OpenAI, .csv) or a trace needs no import: write prompt: { file: … } or load: { kind: trace, file: … }';

const importSource = async (request: ImportRequest, { text, name }: Source): Promise<Imported> => {
  const known =
    request.from === undefined ? Object.values(importKinds).join('; ') : importKinds[request.from];
  if (text.trim() === '') throw new Problem(`${name} is empty: expected ${known}`);
  const kind = request.from ?? recognise(text);
  if (kind === null) {
    throw new Problem(
      `${name}: nothing that weir import knows: expected ${known}. Say which with --from. ${noImport}`,
    );
  }
  if (kind !== 'vegeta' && (request.rate ?? request.duration) !== undefined) {
    throw new Problem('--rate and --duration are those of vegeta attack: leave them out');
  }
  const canWriteFiles = request.out !== undefined;
  try {
    const bodies = kind === 'vegeta' ? await readBodies(text) : new Map<string, never>();
    const { rate, duration } = request;
    const attack = { rate, duration, bodies, canWriteFiles };
    return importText(kind, text, attack, request.into !== undefined);
  } catch (error) {
    if (error instanceof ImportError) throw new Problem(`${name}: ${error.message}`);
    throw error;
  }
};

const textWithObjectives = async (into: string, imported: Imported): Promise<string> => {
  if (imported.kind !== 'objectives')
    throw new Problem('--into is for the objectives of k6’s thresholds');
  let text: string;
  try {
    text = await readTextFile(into, fileBounds.scenario);
  } catch (error) {
    throw unreadable(into, error);
  }
  try {
    return insertObjectives(text, imported.objectives);
  } catch (error) {
    if (error instanceof ImportError) throw new Problem(`${into}: ${error.message}`);
    throw error;
  }
};

/** Returns the scenario with renamed uploads. Each new name begins with the name of the scenario's file. */
const withPaths = (imported: Imported, out: string): Imported => {
  if (imported.kind !== 'scenario' || imported.files.length === 0) return imported;
  const nameOf = (name: unknown): string => `${parse(out).name}-${String(name)}`;
  const { traffic } = imported.scenario as { traffic: readonly Record<string, unknown>[] };
  const moved = traffic.map((entry) =>
    typeof entry['clips'] === 'string' ? { ...entry, clips: nameOf(entry['clips']) } : entry,
  );
  const files = imported.files.map(({ name, bytes }) => ({ name: nameOf(name), bytes }));
  return { ...imported, files, scenario: { ...imported.scenario, traffic: moved } };
};

const writeNew = async (path: string, write: () => Promise<void>): Promise<void> => {
  try {
    await write();
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST')
      throw new Problem(`${path} exists already: name another file with --out FILE`);
    throw new Problem(`${path} cannot be written: ${whyUnwritable(error)}`);
  }
};

const writeFiles = async (out: string, imported: Imported, text: string): Promise<void> => {
  const uploads = imported.kind === 'scenario' ? imported.files : [];
  const all = [out, ...uploads.map(({ name }) => join(dirname(out), name))];
  for (const path of all) await rejectExisting(path);
  for (const { name, bytes } of uploads) {
    const path = join(dirname(out), name);
    await writeNew(path, () => createText(path, bytes));
  }
  await writeNew(out, () => createText(out, text));
};

/** The maximum number of notes that are shown. The notes in the scenario itself are complete. */
const mostNotes = 40;

const showNotes = ({ notes }: Imported, warn: (text: string) => void): void => {
  for (const note of notes.slice(0, mostNotes)) warn(noteLine(note));
  const more = notes.length - mostNotes;
  if (more > 0) warn(`and ${more} more ${more === 1 ? 'note' : 'notes'}`);
};

/**
 * Converts another tool's file, and prints or writes the scenario. Prints a line for each part of the file that was
 * changed or left out. Resolves with `incomplete` if a part that was left out affects the requests or the verdicts.
 */
export const importFile = async (request: ImportRequest, { printer }: Host): Promise<ExitName> => {
  const { out, into } = request;
  if (out !== undefined) await rejectExisting(out);
  const source = await readSource(request);
  const plain = await importSource(request, source);
  const imported = out === undefined ? plain : withPaths(plain, out);
  if (imported.kind === 'objectives' && imported.objectives.length === 0) {
    showNotes(imported, printer.warn);
    throw new Problem(`${source.name}: no threshold has a counterpart`);
  }
  const schema = schemaFor(out ?? 'weir.yaml');
  const text =
    into === undefined
      ? importedText(imported, source.name, schema)
      : await textWithObjectives(into, imported);
  showNotes(imported, printer.warn);
  if (out === undefined) printer.print({ text: () => text.trimEnd() });
  else {
    await writeFiles(out, imported, text);
    printer.print({
      text: () =>
        `${relative('', out) || out}: written. \`weir plan ${out}\` forecasts it, \`weir run ${out}\` runs it.`,
    });
  }
  const left = imported.notes.filter(({ kind }) => kind === 'left').length;
  if (left === 0) return 'pass';
  printer.warn(
    `${left === 1 ? 'One part was' : `${left} parts were`} left out (exit code 3): see the lines above.`,
  );
  return 'incomplete';
};
