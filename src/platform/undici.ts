import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * Loads undici when undici is first used. Most runs use Weir's own transport, and undici consists of a hundred files.
 */
export const undici = (): typeof Undici => require('undici') as typeof Undici;
