import { afterEach, describe, expect, it, vi } from 'vitest';
import { inGroup, positionals, switchOption, textOption } from '../options/define-verb.ts';
import { completionVerb } from './completion.ts';

afterEach(() => vi.restoreAllMocks());

const verbs = [
  {
    name: 'go',
    summary: 'Go: [far] and back',
    options: {
      ...inGroup(positionals, { where: { choices: ['home', 'away'] as const } }),
      quiet: switchOption('Say nothing'),
      out: textOption('A user’s folder'),
      how: { choices: ['by-foot', 'by-bus'], describe: "It's how [a\\b]" },
      secret: { ...switchOption('Hidden'), hidden: true },
      some: { choices: () => ['x'] } as never,
    },
    subcommands: ['further'],
  },
  { name: 'stay', summary: 'Stay', options: { plain: {} }, subcommands: [] },
];

const scriptOf = async (shell: string): Promise<string> => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  expect(await completionVerb(() => Promise.resolve(verbs)).run({ shell })).toBe('pass');
  return written.join('');
};

describe('the script for zsh', () => {
  it('describes each verb, each shown option and what may follow', async () => {
    const script = await scriptOf('zsh');
    expect(script).toMatch(/^#compdef weir\n/);
    expect(script).toContain(String.raw`    'go:Go\: \[far\] and back'`);
    expect(script).toContain(
      [
        String.raw`    go) _arguments \
      '--quiet[Say nothing]' \
      '--out=[A user’s folder]:value:_files' \
      '--how=[It'\''s how \[a\\b\]]:value:(by-foot by-bus)' \
      '--some=[]:value:_files' \
      '--help[Show help]' \
      '*:word:(further home away)' ;;`,
        String.raw`    stay) _arguments \
      '--plain=[]:value:_files' \
      '--help[Show help]' \
      '*:file:_files' ;;`,
      ].join('\n'),
    );
    expect(script).not.toContain('secret');
  });
});

describe('the script for bash', () => {
  it('has the verbs, their options, the values of each and what may follow', async () => {
    const script = await scriptOf('bash');
    expect(script).toContain(`compgen -W 'go stay help --help --version' -- "$word"`);
    expect(script).toContain(`    'go --how') words='by-foot by-bus' ;;\n  esac`);
    expect(script).toContain(
      `    go) options='--quiet --out --how --some --help'; others='further home away' ;;\n    stay) options='--plain --help'; others='' ;;\n    help) others='go stay' ;;`,
    );
    expect(script).not.toContain('secret');
  });
});
