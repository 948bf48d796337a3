import { Link } from '@tanstack/react-router';
import { type DescribedEvent, eventText } from '@yardarm/shared/contracts/events/event-text';
import { publicUrl } from '../api/client.ts';
import { isolated } from '../ui/direction.ts';

/** Who did what to what. The names link to the pages of this console. */
export function EventSentence({ event }: { event: DescribedEvent }) {
  return eventText(event, publicUrl).map((part, index) => {
    // The parts of a sentence have no names of their own, and their order does not change.
    const key = index;
    if ('words' in part) return <span key={key}>{part.words}</span>;
    if (part.link === null) return <strong key={key}>{isolated(part.name)}</strong>;
    return (
      <Link key={key} to={part.link.slice(publicUrl.length)}>
        {isolated(part.name)}
      </Link>
    );
  });
}
