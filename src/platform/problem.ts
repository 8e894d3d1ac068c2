/**
 * An expected failure, for example of a file or a target. Users read its message, which says what is wrong, where, what
 * was expected, and what to do. The message contains no secrets.
 */
export class Problem extends Error {}
