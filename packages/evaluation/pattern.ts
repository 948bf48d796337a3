import { RE2JS } from 're2js';

/** Null if the text is no pattern in RE2 syntax. RE2 takes time linear in the text for every pattern. */
export function compilePattern(text: string, caseInsensitive = false): RE2JS | null {
  try {
    return RE2JS.compile(text, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    // The parser's message quotes the pattern, and no SDK shows it.
    return null;
  }
}
