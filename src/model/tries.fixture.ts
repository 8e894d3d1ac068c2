/** Whether `.ci/run` or a person asks for more than the quick tests of `npm test`. */
// oxlint-disable-next-line weir/world -- how much a test tries is no matter of the code that it tests
const isWhole = process.env['WEIR_TESTS'] !== undefined;

/** Returns how many of the random cases are tried: all by `.ci/run`, a tenth by `npm test`. */
export const tries = (all: number): number => (isWhole ? all : Math.ceil(all / 10));

/** The step between tried places of a text: `.ci/run` tries each, `npm test` one of 37. */
export const placeStep = isWhole ? 1 : 37;
