import { registerHooks } from 'node:module';

/**
 * Resolves imports of the checkout quickly. Otherwise vitest reports each import of each file to its main process: tens
 * of thousands of messages, only so that its watch mode knows which tests a change affects. And for each package that a
 * file names, Node searches all folders above the file.
 */

/** Packages that a file of the checkout imported already: every other file gets the same, since all share one `node_modules`. */
const resolved = new Map<string, string>();

const root = new URL('..', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (specifier.startsWith('node:'))
      return { url: specifier, format: 'builtin', shortCircuit: true };
    const isOurs = parentURL?.startsWith(root) === true && !parentURL.includes('/node_modules/');
    if (!isOurs || !conditions.includes('import')) return next(specifier, context);
    if (/^\.\.?\/.*\.ts$/.test(specifier)) {
      const { href } = new URL(specifier, parentURL);
      return { url: href, format: 'module-typescript', shortCircuit: true };
    }
    if (!/^[a-z@]/.test(specifier) || specifier.includes(':')) return next(specifier, context);
    const known = resolved.get(specifier);
    if (known !== undefined) return { url: known, shortCircuit: true };
    const found = next(specifier, context);
    resolved.set(specifier, found.url);
    return found;
  },
});
