/**
 * Runs command lines in this process, one after the other. Takes a JSON list of them, each a list of words. Prints a JSON
 * line for each that has ended, so that the one is known that ends this process.
 */
import { runHere } from '../../harness/command-in-process.fixture.ts';

const commands = JSON.parse(process.argv[2] ?? '[]') as readonly (readonly string[])[];
const environment = { ...process.env };

for (const words of commands) {
  const { code, stderr } = await runHere(words, environment);
  console.log(JSON.stringify({ code, stderr }));
}
