import { parsedJson } from '../../../model/parsed-json.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { ImportError, type Notes } from './imported.ts';
import { quotedWord } from '../../../scenario/text/quoted-word.ts';
import { splitShell, type ShellWord } from './shell-words.ts';

export interface Flag {
  /** The name of the option in Weir's code. */
  readonly name: string;
  readonly written: string;
  readonly place: string;
  readonly values: readonly string[];
  /** Whether only the shell knows a part of the option's values. */
  readonly expands: boolean;
}

/** Maps each spelling of another tool's option to the option's name in Weir's code. */
export type FlagNames = Readonly<Record<string, string>>;

/** Returns the names of options from a table such as `{ users: '--concurrency -c' }`. */
export const namedFlags = (writings: Readonly<Record<string, string>>): FlagNames =>
  Object.fromEntries(
    Object.entries(writings).flatMap(([name, all]) => all.split(' ').map((each) => [each, name])),
  );

/** Returns the options in a command. All words between two options belong to the first of them. */
const occurrencesIn = (words: readonly ShellWord[], names: FlagNames): readonly Flag[] => {
  const isLong = words.some(({ line }) => line !== words[0]?.line);
  const found: (Flag & { readonly values: string[]; expands: boolean })[] = [];
  for (const word of words) {
    const flag = found.at(-1);
    if (/^-{1,2}[A-Za-z]/.test(word.text)) {
      const [, written = '', value] = /^(--?[^=]+)(?:=([^]*))?$/.exec(word.text) ?? [];
      // In other versions of a tool, options of several words may contain underscores.
      const name = names[written] ?? names[written.replaceAll('_', '-')] ?? '';
      const place = isLong ? `line ${word.line}, ${written}` : written;
      const values = value === undefined ? [] : [value];
      found.push({ name, written, place, values, expands: word.expands });
    } else if (flag !== undefined) {
      flag.values.push(word.text);
      flag.expands ||= word.expands;
    }
  }
  return found;
};

const hiddenHint = 'write the value itself, or give the command to weir import behind --';

/** The options of one command line. Readers take each option once. `rest` returns the options that no reader took. */
export class Flags {
  private readonly waiting: Set<Flag>;
  private readonly notes: Notes;
  /** The options that a reader asked for, but whose values only the shell knows. */
  private readonly hidden = new Set<Flag>();

  constructor(words: readonly ShellWord[], names: FlagNames, notes: Notes) {
    this.waiting = new Set(occurrencesIn(words, names));
    this.notes = notes;
  }

  /**
   * Returns all occurrences of an option. An occurrence with a value that only the shell knows is left out with a note,
   * unless `isEnough` accepts the written part.
   */
  all(name: string, isEnough: (flag: Flag) => boolean = () => false): readonly Flag[] {
    const found = [...this.waiting].filter((flag) => flag.name === name);
    for (const flag of found) this.waiting.delete(flag);
    return found.filter((flag) => {
      const isHidden = flag.expands && !isEnough(flag);
      if (isHidden) this.noteHidden(flag, 'this value');
      return !isHidden;
    });
  }

  one(name: string, isEnough?: (flag: Flag) => boolean): Flag | null {
    return this.all(name, isEnough).at(-1) ?? null;
  }

  /** Adds a note that only the shell knows a part of an option. */
  noteHidden(flag: Flag, what: string): void {
    this.hidden.add(flag);
    this.notes.left(flag.place, `only the shell knows ${what}: ${hiddenHint}`);
  }

  /**
   * Returns a text about options whose values only the shell knows; empty without such options. Only the given names
   * are considered. If no names are given, all options that readers asked for are considered.
   */
  hiddenText(...names: readonly string[]): string {
    const hidden = [...this.hidden].filter(
      ({ name }) => names.length === 0 || names.includes(name),
    );
    const places = hidden.map(({ place }) => place).join(' and ');
    return places === '' ? '' : `only the shell knows the value of ${places}: ${hiddenHint}`;
  }

  text(name: string): string | null {
    return this.one(name)?.values[0] ?? null;
  }

  /** Returns whether a switch is on: `--streaming`, `--streaming true` or `--no-streaming`. */
  isOn(name: string, byDefault: boolean): boolean {
    const flag = this.one(name);
    if (flag === null) return byDefault;
    return flag.written.startsWith('--no-') !== /^(true|1|yes|on)?$/i.test(flag.values[0] ?? '');
  }

  /** Returns the numbers of an option: `1,2,4` or several words. If a word is not a number, adds a note. */
  numbers(name: string): readonly number[] {
    const flags = this.all(name);
    return flags.flatMap((flag) => numbersIn(flag.values, flag.place, this.notes));
  }

  number(name: string): number | null {
    return this.numbers(name).at(-1) ?? null;
  }

  rest(): readonly Flag[] {
    return [...this.waiting];
  }
}

/** Returns whether a text contains a variable or a command of the shell. */
export const hasShellPart = (value: unknown): boolean =>
  /\$[\w{(@*#?!-]|`/.test(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Returns the numbers of at least 0 in texts, separated by commas or spaces. Square brackets around numbers are
 * allowed.
 */
const numbersIn = (texts: readonly string[], place: string, notes: Notes): readonly number[] => {
  const parts = texts.flatMap((text) => text.split(/[,\s[\]]+/)).filter((part) => part !== '');
  const numbers = parts.map(Number);
  if (numbers.length > 0 && numbers.every((n) => n >= 0 && n < Infinity)) return numbers;
  notes.left(place, 'expected a number, or several with commas between them');
  return [];
};

/** Matches `$NAME`, `${NAME}` and `${NAME:-default}`. */
const variablePattern = /\$(?:(\w+)|\{(\w+)(?::?-([^{}$`]*))?\})/g;

/**
 * Replaces the variables of a word if the script shows all their values. A variable whose value has several words
 * stays, since only the shell can split it.
 */
const expanded = (
  word: ShellWord,
  variables: ReadonlyMap<string, string>,
  notes: Notes,
): ShellWord => {
  if (!word.expands || /`|\$\(/.test(word.text)) return word;
  const defaults: string[] = [];
  let isKnown = true;
  const text = word.text.replaceAll(
    variablePattern,
    (whole, short?: string, long?: string, otherwise?: string) => {
      const name = short ?? long ?? '';
      const value = variables.get(name) ?? otherwise;
      if (value === undefined || /\s/.test(value)) isKnown = false;
      else if (!variables.has(name)) defaults.push(name);
      return value ?? whole;
    },
  );
  if (!isKnown || hasShellPart(text)) return word;
  for (const name of defaults)
    notes.chosen(`$${name}`, 'its default in the script; the environment may have another value');
  return { ...word, text, expands: false };
};

/** Returns the variables of a script whose values are known without a shell. */
const variablesIn = (
  commands: readonly (readonly ShellWord[])[],
  notes: Notes,
): ReadonlyMap<string, string> => {
  const variables = new Map<string, string>();
  for (const words of commands) {
    const isDeclared = /^(export|declare|typeset|readonly|local)$/.test(words[0]?.text ?? '');
    const given = isDeclared ? words.slice(1).filter(({ text }) => !text.startsWith('-')) : words;
    if (!given.every(({ text }) => /^\w+=/.test(text))) continue;
    for (const each of given) {
      const { text, expands } = expanded(each, variables, notes);
      const [, name = '', value = ''] = /^(\w+)=([^]*)$/.exec(text)!;
      if (expands) variables.delete(name);
      else variables.set(name, value);
    }
  }
  return variables;
};

/** Converts a script of a Windows shell to POSIX: continued lines (`^` or a backtick) and variables. */
export const posixScript = (script: string): string => {
  const names = new Set<string>();
  const assigned = (name: string, value: string): string => {
    names.add(name);
    return `${name}=${value}`;
  };
  return script
    .replaceAll(/(?<=[ \t])[\^`](?=[ \t]*\r?\n)[ \t]*/g, '\\')
    .replaceAll(
      /^[ \t]*@?set[ \t]+("?)(\w+)=(.*?)\1[ \t]*(?=\r?$)/gim,
      (_, _quote, name: string, value: string) => assigned(name, quotedWord(value)),
    )
    .replaceAll(/^[ \t]*\$(?:env:)?(\w+)[ \t]*=[ \t]*(?=['"\d])/gim, (_, name: string) =>
      assigned(name, ''),
    )
    .replaceAll(/\$env:(\w+)/gi, '${$1}')
    .replaceAll(/%([A-Za-z_]\w*)%/g, (whole, name: string) =>
      names.has(name) ? `\${${name}}` : whole,
    );
};

/** Returns a pattern for the word of a command that names a program. */
export const programPattern = (name: string): RegExp => new RegExp(`(^|/)${name}(\\.exe)?$`, 'i');

/**
 * Returns the words after the program’s name in the first command that calls the program. Adds a note on each other
 * command.
 */
export const commandOf = (script: string, program: RegExp, notes: Notes): readonly ShellWord[] => {
  const { commands, problem } = splitShell(posixScript(script));
  if (problem !== null) throw new ImportError(problem);
  const at = (words: readonly ShellWord[]): number =>
    words.findIndex(({ text }) => program.test(text));
  const own = commands.find((words) => at(words) >= 0);
  if (own === undefined) throw new ImportError('expected a command line that names its program');
  for (const other of commands) {
    if (other === own || other[0] === undefined) continue;
    const place = `line ${other[0].line}`;
    if (at(other) >= 0) notes.left(place, 'a further command: import each by itself');
    else if (other[0].text.startsWith('-'))
      notes.left(place, 'options of no command: end the line before it with a backslash');
    else notes.unneeded(place, 'another command of the script');
  }
  const variables = variablesIn(commands.slice(0, commands.indexOf(own)), notes);
  return own.slice(at(own) + 1).map((word) => expanded(word, variables, notes));
};

/**
 * Reads JSON, or `key=value` pairs separated by commas; `null` for any other text. AIPerf and GuideLLM accept both
 * notations.
 */
export const readSettings = (text: string): Readonly<Record<string, unknown>> | null => {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const parsed = parsedJson(trimmed);
    return isMapping(parsed) ? parsed : null;
  }
  const pairs = trimmed.split(',').map((pair) => /^\s*([\w.\-[\]]+)\s*=([^]*)$/.exec(pair));
  if (trimmed === '' || pairs.includes(null)) return null;
  const settings = new Map<string, unknown>();
  for (const [, key = '', value = ''] of pairs as RegExpExecArray[]) {
    const [, name = key, index] = /^(.+)\[(\d+)\]$/.exec(key.replaceAll('-', '_')) ?? [];
    const parsed = scalar(value.trim());
    const list = settings.get(name);
    if (index === undefined) settings.set(name, parsed);
    else if (Array.isArray(list)) list.push(parsed);
    else settings.set(name, [parsed]);
  }
  return Object.fromEntries(settings);
};

const scalar = (text: string): unknown => {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
};
