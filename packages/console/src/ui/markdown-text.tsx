import { basePath } from '../api/client.ts';
import { piecesOf } from './inline-markdown.ts';

/** A text with bold words and links. */
export function MarkdownText({ source }: { source: string }) {
  return piecesOf(source).map((piece, place) => {
    // Two pieces may be the same; they never change places.
    const key = `${place} ${piece.text}`;
    if (piece.kind === 'bold') return <strong key={key}>{piece.text}</strong>;
    if (piece.kind === 'text') return <span key={key}>{piece.text}</span>;
    return <SafeLink key={key} to={piece.to} text={piece.text} />;
  });
}

/** A link to a path of this host, or to another one, in a tab of its own. */
export function SafeLink({ to, text }: { to: string; text: string }) {
  if (to.startsWith('/')) return <a href={basePath + to}>{text}</a>;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
