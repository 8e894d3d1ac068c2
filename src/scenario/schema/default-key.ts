/**
 * The rules of keys and headers. No message here repeats a value: what stands in the wrong place
 * is likely a secret.
 */

/** Where the key comes from when a scenario names none. */
export const defaultKeyTemplate = '${env:WEIR_API_KEY}';

/** What reports call the key of a scenario that names none. */
export const defaultKeyName = 'default';
