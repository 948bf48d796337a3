import { Button } from './button.tsx';
import styles from './changed-notice.module.css';

/** Says that somebody else changed what is edited here. What was typed stays. */
export function ChangedNotice({ what, onTake }: { what: string; onTake: () => void }) {
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>Somebody else changed {what} while you were here.</strong> What you typed stays. Saving replaces what
        they did.
      </p>
      <Button onClick={onTake}>Show theirs, and drop what I typed</Button>
    </div>
  );
}
