// HTML begins with `<` and one of these, also in readers of Markdown that pass it on.
const html = /<[a-z/!?]/i;
// Links, images and definitions have their address after `](` or `]:`, each with blanks between them or none. A second
// slash, or what some browser or reader turns into one, would lead to another host.
const otherAddress = /\](?:\(|:)[ \t\r\n]*(?![ \t\r\n])(?!https:\/\/|\/(?![/\\&]))/i;
// Some readers make links of addresses without brackets, and those of `www.` have no HTTPS.
const bareAddress = /(?<!\bhttps):\/\/|(?<!https:\/\/)www\./i;

/**
 * Why a Markdown text could run something in a browser or lead elsewhere than to this host or, by HTTPS, to another;
 * undefined when it could not. It also refuses some texts that do neither, such as HTML in code: readers of Markdown
 * differ in what is code, and what they show must not depend on it.
 */
export function problemOfMarkdown(text: string): string | undefined {
  if (html.test(text)) return 'should have no HTML, also not in code; a < before a letter is written &lt;';
  if (otherAddress.test(text)) {
    return 'should have only links and images whose address begins with https:// or one slash';
  }
  if (bareAddress.test(text)) return 'should have only addresses that begin with https://';
  return undefined;
}
