import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * Loads undici when it is first used. It is not loaded at the start, since undici has a hundred files and most runs use
 * Weir's own transport.
 */
export const undici = (): typeof Undici => require('undici') as typeof Undici;
