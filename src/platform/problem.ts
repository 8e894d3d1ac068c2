/**
 * An expected failure, for example of a file or a target. Users read its message: what is wrong, where, what was
 * expected, and what to do. It contains no secrets.
 */
export class Problem extends Error {}
