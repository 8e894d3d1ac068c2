import { defineVerb, positionals, type Verb, type OptionTable } from '../options/define-verb.ts';
import { terminalHost } from '../options/terminal-host.ts';

/**
 * This file makes the scripts by which a shell completes command lines. The scripts contain all words, so a press of
 * Tab starts no program.
 */

export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionTable;
  readonly subcommands: readonly string[];
}

interface CompletedOption {
  /** The option's name with its hyphens. */
  readonly name: string;
  readonly describe: string;
  readonly isSwitch: boolean;
  readonly choices: readonly string[];
}

const choicesOf = ({ choices }: OptionTable[string]): readonly string[] =>
  typeof choices === 'function' ? [] : (choices ?? []).map(String);

const optionsOf = ({ options }: CompletedVerb): readonly CompletedOption[] =>
  Object.entries(options)
    .filter(([, { group, hidden }]) => group !== positionals && hidden !== true)
    .map(([name, option]) => ({
      name: `--${name}`,
      describe: option.describe ?? '',
      isSwitch: option.type === 'boolean',
      choices: choicesOf(option),
    }));

/** Returns the words that may follow a verb: the verbs within this verb, and the choices of its arguments. */
const wordsOf = ({ options, subcommands }: CompletedVerb): readonly string[] => [
  ...subcommands,
  ...Object.values(options)
    .filter(({ group }) => group === positionals)
    .flatMap(choicesOf),
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const help: CompletedOption = {
  name: '--help',
  describe: 'Show help',
  isSwitch: true,
  choices: [],
};

/**
 * Returns the script for bash 3.2 or later. The user sources it, or saves it as
 * `~/.local/share/bash-completion/completions/weir`.
 */
const bashScript = (verbs: readonly CompletedVerb[]): string => {
  const values = verbs.flatMap((verb) =>
    optionsOf(verb)
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ name, choices }) =>
          `    ${quoted(`${verb.name} ${name}`)}) words=${quoted(choices.join(' '))} ;;`,
      ),
  );
  const cases = verbs.map((verb) => {
    const options = [...optionsOf(verb), help].map(({ name }) => name).join(' ');
    return `    ${verb.name}) options=${quoted(options)}; others=${quoted(wordsOf(verb).join(' '))} ;;`;
  });
  return `# bash completion for weir
_weir() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}"
  local words='' options='' others=''
  COMPREPLY=()
  # --option=value is three words.
  if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quoted([...verbs.map(({ name }) => name), 'help', '--help', '--version'].join(' '))} -- "$word"))
    return
  fi
  case "$verb $before" in
${values.join('\n')}
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case "$verb" in
${cases.join('\n')}
    help) others=${quoted(verbs.map(({ name }) => name).join(' '))} ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $others ]]; then
    COMPREPLY=($(compgen -W "$others" -- "$word"))
  fi
}
# Files, where nothing else is known.
complete -o bashdefault -o default -F _weir weir
`;
};

/** Escapes a text for the brackets of an option in zsh's `_arguments`. */
const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

const zshOption = ({ name, describe, isSwitch, choices }: CompletedOption): string => {
  const text = `${name}${isSwitch ? '' : '='}[${zshText(describe)}]`;
  if (isSwitch) return quoted(text);
  return quoted(
    choices.length === 0 ? `${text}:value:_files` : `${text}:value:(${choices.join(' ')})`,
  );
};

/**
 * Returns the script for zsh. The user saves the script as `_weir` in a folder of `$fpath`, or runs `source <(weir
 * completion zsh)` after `compinit`.
 */
const zshScript = (verbs: readonly CompletedVerb[]): string => {
  const described = verbs.map(
    ({ name, summary }) => `    ${quoted(`${name}:${zshText(summary)}`)}`,
  );
  const cases = verbs.map((verb) => {
    const words = wordsOf(verb);
    const others = words.length === 0 ? '*:file:_files' : `*:word:(${words.join(' ')})`;
    const options = [...optionsOf(verb), help].map((option) => `      ${zshOption(option)}`);
    return `    ${verb.name}) _arguments \\\n${[...options, `      ${quoted(others)}`].join(' \\\n')} ;;`;
  });
  return `#compdef weir
_weir() {
  local -a verbs
  verbs=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe 'verb' verbs
    return
  fi
  local verb="$words[2]"
  shift words
  ((CURRENT--))
  case "$verb" in
${cases.join('\n')}
    help) _describe 'verb' verbs ;;
  esac
}
if [[ "$funcstack[1]" == _weir ]]; then _weir "$@"; else compdef _weir weir; fi
`;
};

const scripts = { bash: bashScript, zsh: zshScript } as const;

const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

/** Returns the verb `completion`, which calls `verbs` only when it runs. */
export const completionVerb = (verbs: () => Promise<readonly CompletedVerb[]>): Verb =>
  defineVerb({
    options: { shell: { choices: shells, demandOption: true, group: positionals } },
    run: async ({ shell }) => {
      const script = scripts[shell](await verbs());
      terminalHost().printer.print({ text: () => script });
      return 'pass';
    },
  });
