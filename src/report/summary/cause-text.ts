interface StatusAndCause {
  readonly status: number | null;
  readonly cause: string | null;
}

/** The status of a failure and its cause; once if the cause is the status, which some gateways send as their error code. */
export const causeText = ({ status, cause }: StatusAndCause): string =>
  [...new Set([status, cause].filter((part) => part !== null).map(String))].join(' ');
