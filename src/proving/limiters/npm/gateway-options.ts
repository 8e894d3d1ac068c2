import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The words of a gateway's command line, each `name=value`; `gateway.ts` says which there are. */

export const words: Readonly<Record<string, string>> = Object.fromEntries(
  process.argv.slice(2).map((word) => word.split(/=(.*)/s, 2) as [string, string]),
);
export const textOf = (name: string, fallback?: string): string => {
  const value = words[name] ?? fallback;
  if (value === undefined) throw new Error(`${name}=… is missing`);
  return value;
};
export const numberOf = (name: string, fallback?: string): number => Number(textOf(name, fallback));

export const limit = numberOf('limit');
export const window = numberOf('window');
/** The keys that are accepted. */
export const keys = ['sk-proving-1', 'sk-proving-2'];
/** Loads an installed package. */
export const load = createRequire(join(textOf('packages'), 'package.json'));
