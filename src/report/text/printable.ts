/**
 * Makes foreign text safe to print on one line: control characters (including terminal escapes)
 * become their visible pictures, line ends become spaces, and characters that change the writing
 * direction become U+FFFD, as do lone surrogates, which cannot be written as UTF-8, and characters that
 * XML forbids.
 */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\u0000-\u001f]/g, (control) => String.fromCodePoint(0x2400 + control.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g, '\ufffd');
