import { Button } from './button.tsx';
import styles from './changed-notice.module.css';

interface Props {
  /** As in `this segment`. */
  what: string;
  /** What they changed, as sentences. */
  changes: readonly string[];
  onTake: () => void;
}

/** Says that somebody else changed what is edited here, and how. What was typed stays. */
export function ChangedNotice({ what, changes, onTake }: Props) {
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>Somebody else changed {what} while you were here.</strong> What you typed stays. Saving replaces what
        they did.
      </p>
      <Button onClick={onTake}>Show theirs, and drop what I typed</Button>
      <ul className={styles.changes}>
        {changes.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}
