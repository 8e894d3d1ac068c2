/**
 * Passes damaged copies of stored files through every verb that reads them, in this process. Takes the folder of sound
 * files, names of forms separated by commas, and the first and the last number of the copies. Prints a JSON line for
 * each reading, and the peak of this process's memory last. Before each reading it writes its name to the file `at` in
 * the working folder, so that the reading is known that ends this process.
 */
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHere } from '../../harness/command-in-process.fixture.ts';
import { damage } from './damage.fixture.ts';
import { faultsOf, type Reading } from './reading-faults.fixture.ts';
import { type StoredForm, storedForms } from './stored-forms.fixture.ts';

const [sound = '', names = '', first = '0', last = '0', work = ''] = process.argv.slice(2);
const here = join(work, 'here');

const environment = {
  PATH: process.env['PATH'],
  CI: 'true',
  NO_COLOR: '1',
  WEIR_HISTORY: join(here, 'history.db'),
  WEIR_API_KEY: 'sk-weir-test',
  BLUE_KEY: 'sk-weir-blue',
};

const peak = (): number => {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
};

/** The memory of this process from which on it is cleaned before a reading, in bytes. */
const mostBefore = 250 * 1024 * 1024;

/** Runs a command; its peak of memory is that above what this process needs by itself. */
const read = async (words: readonly string[]): Promise<Reading> => {
  // An ordinary collection empties pages and keeps them: hundreds of megabytes after a large file, in which the next
  // reading would hide its memory, or on top of which it would come.
  if (process.memoryUsage.rss() > mostBefore)
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // From here on, the system counts the peak anew.
  writeFileSync('/proc/self/clear_refs', '5');
  const before = peak();
  const [began, used] = [performance.now(), process.cpuUsage()];
  const ended = await runHere(words, environment);
  const { user, system } = process.cpuUsage(used);
  return {
    ...ended,
    took: performance.now() - began,
    cpu: (user + system) / 1000,
    above: peak() - before,
  };
};

/** Puts the sound files of a form into the folder `here`. */
const prepare = async (form: StoredForm): Promise<void> => {
  await rm(here, { recursive: true, force: true });
  await mkdir(here, { recursive: true });
  await cp(join(sound, form.name), here, { recursive: true });
};

const commandsOf = (form: StoredForm): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(form.commands(here, join(sound, form.name)));

/** A problem of a scenario names its place in it, one of what comes after the reading the target. */
const namesFor = (form: StoredForm): readonly string[] => [
  form.file,
  form.orNames ?? '',
  'history.db',
  'weir history baseline',
  'scenario.yaml:',
  ' http://127.0.0.1:9/v1 ',
];

/** Two verbs read each copy, so that over the copies all do. */
const isDue = (index: number, n: number, count: number): boolean =>
  index === n % count || index === (n + Math.ceil(count / 2)) % count;

const readForm = async (form: StoredForm): Promise<void> => {
  const bytes = await readFile(join(sound, form.name, form.file));
  await prepare(form);
  const plain = new Map<string, Reading>();
  for (const [command, words] of commandsOf(form)) {
    const reading = await read(words);
    plain.set(command, reading);
    const [{ code }, said] = [reading, reading.stderr.slice(0, 300)];
    console.log(JSON.stringify({ form: form.name, n: -1, command, code, stderr: said }));
  }
  for (let n = Number(first); n < Number(last); n += 1) {
    await prepare(form);
    await damage(join(here, form.file), { bytes, writing: form.writing }, n);
    const all = commandsOf(form);
    const due = all.filter((_, index) => isDue(index, n, all.length));
    for (const [command, words] of due) {
      writeFileSync(join(work, 'at'), JSON.stringify({ form: form.name, n, command }));
      const reading = await read(words);
      const { code, took, cpu, stderr, stdout } = reading;
      const above = reading.above - (plain.get(command)?.above ?? 0);
      const faults = faultsOf({ ...reading, above }, [
        ...namesFor(form),
        plain.get(command)?.stderr ?? '',
      ]);
      const round = {
        took: Math.round(took),
        cpu: Math.round(cpu),
        above: Math.round(above / 1e6),
      };
      const shown =
        faults.length === 0 ? {} : { stderr: stderr.slice(0, 1500), stdout: stdout.slice(0, 300) };
      console.log(
        JSON.stringify({ form: form.name, n, command, code, ...round, faults, ...shown }),
      );
    }
  }
};

await mkdir(work, { recursive: true });
for (const form of storedForms) if (names.split('\n').includes(form.name)) await readForm(form);
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024 }));
await rm(here, { recursive: true, force: true });
