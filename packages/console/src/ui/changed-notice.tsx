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
  /** Before a save overwrites what they did, both are shown. */
  isCompared?: boolean;
  onTake: () => void;
}

/** Says that somebody else changed what is edited here, and how. What was typed stays. */
export function ChangedNotice({ what, changes, by, isCompared = false, onTake }: Props) {
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
        What you typed stays.{' '}
        {isCompared ? 'Before anything is overwritten you see both.' : 'Saving replaces what they did.'}
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
