/** What runs, loads or leads elsewhere where a page takes a text for something else. */
const pieces = [
  '<b data-injected>b</b>',
  '<img src=x onerror="injected=1">',
  '<script>injected=1</script>',
  '"><svg/onload=injected=1>',
  'javascript:injected=1',
  '[l](javascript:injected=1)',
  '[l](/\\evil.example)',
  '{{constructor.constructor("injected=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in a text
  '${injected=1}',
  '%3Cscript%3Einjected=1%3C/script%3E',
  'שלום',
  'W'.repeat(90),
];

/** Turns the direction of what follows, after the end of an isolated part too. */
const bidi = '\u2069\u202E';

export const textBegin = '«';
export const textEnd = '¶';

/** A hostile text of at most `max` characters that names its field, so that it is found again. */
export const hostileText = (field: string, max = 10_000) => textOf(field, pieces, max);

/** As `hostileText`, for Markdown of administrators, where the API refuses HTML and other links. */
export const hostileMarkdown = (field: string) =>
  textOf(field, ['[l](https://example.com/)', ...pieces.filter((piece) => !/[<[]/.test(piece))], 1000);

function textOf(field: string, from: readonly string[], max: number): string {
  let text = `${textBegin}${field} `;
  for (const piece of from) {
    if (text.length + piece.length + bidi.length + 5 <= max) text += `${piece} `;
  }
  return `${text}${bidi}fdp${textEnd}`;
}

/** The fields whose texts are in what a page shows. */
export const fieldsIn = (shown: string): string[] =>
  [...shown.matchAll(new RegExp(`${textBegin}([\\w.[\\]-]+) `, 'g'))].map(([, field]) => field!);
