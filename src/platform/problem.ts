/** An expected failure, for example of a file or a target. Users read its message: what is wrong, where, what was expected, what to do; no secrets. */
export class Problem extends Error {}
