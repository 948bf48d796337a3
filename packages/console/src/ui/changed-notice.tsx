import type { RecentChange } from '../live/recent-changes.ts';
import { Button } from './button.tsx';
import styles from './changed-notice.module.css';
import { Time } from './time.tsx';

interface Props {
  /** As in `this segment`. */
  what: string;
  /** What they changed, as sentences. */
  changes: readonly string[];
  /** Who did it and when, if this is known. */
  by?: RecentChange | undefined;
  onTake: () => void;
}

/** Says that somebody else changed what is edited here, and how. What was typed stays. */
export function ChangedNotice({ what, changes, by, onTake }: Props) {
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>
          {by?.by ?? 'Somebody else'} changed {what}
          {by !== undefined && (
            <>
              {' '}
              <Time at={by.at} />
            </>
          )}{' '}
          while you were here.
        </strong>{' '}
        What you typed stays. Saving replaces what they did.
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
