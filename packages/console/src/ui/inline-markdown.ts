/** A piece of a text with the Markdown of banners: bold words and links. Everything else is text. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; text: string }
  | { kind: 'link'; text: string; to: string };

/** A link leads to https or to a path of this host, which has no second slash or backslash. Anything else is text. */
const pattern = /\*\*(?<bold>[^*]+)\*\*|\[(?<label>[^\][]+)\]\((?<to>https:\/\/[^\s()]+|\/(?![/\\])[^\s()]*)\)/g;

export function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const addText = (text: string) => text !== '' && pieces.push({ kind: 'text', text });
  for (const match of source.matchAll(pattern)) {
    addText(source.slice(end, match.index));
    const { bold, label, to } = match.groups!;
    pieces.push(bold === undefined ? { kind: 'link', text: label!, to: to! } : { kind: 'bold', text: bold });
    end = match.index + match[0].length;
  }
  addText(source.slice(end));
  return pieces;
}

/** Whether an address is of this host or of https. */
export const isSafeAddress = (address: string) => /^https:\/\/|^\/(?![/\\\s])/.test(address);
