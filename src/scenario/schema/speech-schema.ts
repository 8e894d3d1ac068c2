import { z } from 'zod';
import { textField, wholeNumberField } from './fields.ts';

/** What is to be spoken, and in which pieces. */

const spokenError = 'expected text, or a mapping such as {file: chapter.txt}';

/** A text, or the file that holds it. */
export const speechTextField = () =>
  z.union(
    [
      textField(),
      z.strictObject(
        {
          file: textField().describe('A file of plain text, as a path from the scenario’s folder.'),
        },
        { error: spokenError },
      ),
    ],
    { error: spokenError },
  );

/** How long texts are cut. */
export const splitSchema = z.strictObject(
  {
    characters: wholeNumberField(1, 1_000_000).describe('The most characters of a piece.'),
  },
  { error: 'expected a mapping such as {characters: 4000}' },
);
