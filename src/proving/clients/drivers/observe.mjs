/** What the drivers of Node clients share. */

export const question = 'What is the weather in Paris?';

/** A PNG of one pixel. */
export const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const wordsIn = (text) => text.trim().split(/\s+/).length;

/** The JSON Schema of an object with these properties only, all required. */
export const answerSchema = (required, properties) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Prints what each feature gives: its value, or the name and status of the error that it throws. */
export const observe = async (features) => {
  const seen = {};
  for (const [name, run] of Object.entries(features)) {
    try {
      seen[name] = await run();
    } catch (error) {
      const status = error.status ?? error.statusCode ?? null;
      seen[name] = { error: error.constructor.name, status, message: error.message };
    }
  }
  console.log(JSON.stringify(seen));
};
