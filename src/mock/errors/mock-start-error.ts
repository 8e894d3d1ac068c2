/** The mock cannot start: an address or a file is not available. Its message is for the user. */
export class MockStartError extends Error {}
