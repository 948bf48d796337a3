import { shownJson } from '../ui/direction.ts';
import { type Outcome, prettyJson } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { TextBlock } from './text-block.tsx';

/** What was sent, and the event that it tells of. */
export function Payload({ details, event }: Pick<Outcome, 'details' | 'event'>) {
  const { body, ...rest } = details;
  return (
    <div className={styles.payload}>
      {typeof body === 'string' && <Folded title="What was sent" text={prettyJson(body)} />}
      {Object.keys(rest).length > 0 && <Folded title="Details of the provider" text={shownJson(rest, 2)} />}
      <Folded title="The event as JSON" text={shownJson(event, 2)} />
    </div>
  );
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <TextBlock text={text} />
    </details>
  );
}
