/** Parses a JSON text that Weir or the user's own tool wrote. Returns `undefined` if the text is not JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
