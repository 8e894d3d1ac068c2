import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * Loads undici when it is first used. undici has a hundred files, and a run on the reference gateway uses Weir's own
 * transport.
 */
export const undici = (): typeof Undici => require('undici') as typeof Undici;
