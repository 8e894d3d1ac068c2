import { UsageProblem } from './define-verb.ts';

/**
 * Throws a `UsageProblem` if no environment variable has the given name and the name does not look like the name of a
 * variable. The user may have given the key itself, so the message does not repeat the name.
 */
export const checkKeyName = (option: string, name: string | undefined): void => {
  if (name === undefined || /^[A-Z_][A-Z0-9_]*$/.test(name) || process.env[name] !== undefined) {
    return;
  }
  throw new UsageProblem(
    `--${option}: expected the name of an environment variable that has the key, such as WEIR_API_KEY; got something else (${name.length} characters, not shown since it may be a key): export the key and give the name`,
  );
};
