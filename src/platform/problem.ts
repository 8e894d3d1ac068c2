/** An expected failure of the world outside; its message is a whole sentence for people and holds no secret. */
export class Problem extends Error {}
