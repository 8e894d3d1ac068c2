/** Why the mock cannot start, in a sentence for people: an address or a file that it cannot have. */
export class MockStartError extends Error {}
