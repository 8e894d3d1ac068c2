export interface ShellWord {
  readonly text: string;
  /** The line on which the word begins, counted from 1. */
  readonly line: number;
  /** Whether the shell would replace a part of the word: a variable, or the output of a command. */
  readonly expands: boolean;
}

/** The commands of a script, each as a list of words. `problem` says what is wrong with the quotes of the script. */
export interface ShellScript {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly problem: string | null;
}

/**
 * Matches one part of a script by the rules of POSIX: quoting (section 2.2), operators (2.10), comments and
 * redirections.
 */
const partPattern =
  /(?<continued>\\\r?\n)|\\(?<escaped>[^])|'(?<single>[^']*)'|"(?<double>(?:\\[^]|[^"\\])*)"|(?<redirect>\d*(?:>>|>&|<<|<&|[<>]))|(?<end>\r?\n|&&|\|\||[;&|])|(?<space>[ \t]+)|(?<plain>[^\s'"\\;&|<>]+)|(?<open>['"\\])/y;

const hasExpansion = (text: string): boolean =>
  /\$[\w{(@*#?!-]|`/.test(text.replaceAll(/\\[^]/g, ''));

/**
 * Removes the backslashes of escapes from a text in double quotes. In double quotes, a backslash escapes only these
 * characters.
 */
const unescapeDouble = (text: string): string =>
  text.replaceAll(/\\(?:\r?\n|([$`"\\]))/g, (_, escaped: string | undefined) => escaped ?? '');

class WordCollector {
  readonly commands: ShellWord[][] = [[]];
  private word: { text: string; line: number; expands: boolean } | null = null;
  private isRedirect = false;

  get isInWord(): boolean {
    return this.word !== null;
  }

  add(text: string, line: number, expands = false): void {
    this.word ??= { text: '', line, expands: false };
    this.word.text += text;
    this.word.expands ||= expands;
  }

  endWord(): void {
    if (this.word === null) return;
    if (!this.isRedirect) this.commands.at(-1)!.push(this.word);
    this.isRedirect = false;
    this.word = null;
  }

  /** Ends a word at a space, a redirection or the end of a command. */
  end({ redirect, end }: Readonly<Record<string, string | undefined>>): void {
    this.endWord();
    if (redirect !== undefined) this.isRedirect = true;
    if (end !== undefined) this.commands.push([]);
  }
}

const addPart = (
  collector: WordCollector,
  part: Readonly<Record<string, string | undefined>>,
  line: number,
): void => {
  const { plain, single, double, escaped, continued } = part;
  const literal = escaped ?? single;
  if (literal !== undefined) collector.add(literal, line);
  else if (double !== undefined) collector.add(unescapeDouble(double), line, hasExpansion(double));
  else if (plain !== undefined) collector.add(plain, line, hasExpansion(plain));
  else if (continued === undefined) collector.end(part);
};

/**
 * Splits a script into commands and words, like a POSIX shell. The function does not replace variables, and drops
 * redirections together with their files.
 */
export const splitShell = (script: string): ShellScript => {
  const collector = new WordCollector();
  const { commands } = collector;
  let line = 1;
  for (let at = 0; at < script.length;) {
    partPattern.lastIndex = at;
    const found = partPattern.exec(script);
    // If the pattern does not match, the character is a lone carriage return or an unusual space, which ends a word.
    const [whole, part] = [found?.[0] ?? script.charAt(at), found?.groups ?? { space: ' ' }];
    if (part['open'] !== undefined)
      return { commands, problem: `line ${line}: the quote ${part['open']} has no end` };
    if (whole.startsWith('#') && part['plain'] !== undefined && !collector.isInWord) {
      at += /^[^\n]*/.exec(script.slice(at))![0].length;
      continue;
    }
    addPart(collector, part, line);
    line += whole.split('\n').length - 1;
    at += whole.length;
  }
  collector.endWord();
  return { commands: commands.filter((words) => words.length > 0), problem: null };
};
