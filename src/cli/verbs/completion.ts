import { type CompletedVerb, completionScript, shells } from './completion-script.ts';
import { defineVerb, positionals, type Verb } from '../options/define-verb.ts';
import { terminalHost } from '../options/terminal-host.ts';

/** The verb for these verbs, which are asked for when it runs. */
export const completionVerb = (verbs: () => Promise<readonly CompletedVerb[]>): Verb =>
  defineVerb({
    options: { shell: { choices: shells, demandOption: true, group: positionals } },
    run: async ({ shell }) => {
      const script = completionScript(shell, await verbs());
      terminalHost().printer.print({ text: () => script });
      return 'pass';
    },
  });
