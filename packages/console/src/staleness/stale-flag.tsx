import { Link } from '@tanstack/react-router';
import type { FlagOfList } from '../flags/flag-row.tsx';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import styles from './board.module.css';
import { lastSeenOf } from './stages.ts';

interface Props {
  flag: FlagOfList;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

/** A flag of the board: since when it is in its stage, and when it was last asked for. */
export function StaleFlag({ flag, isSelected, onSelect }: Props) {
  const seen = lastSeenOf(flag);
  return (
    <li className={styles.flag} data-selected={isSelected || undefined}>
      <input
        type="checkbox"
        className={styles.check}
        aria-label={`Select ${flag.name}`}
        checked={isSelected}
        onChange={(event) => onSelect(event.target.checked)}
      />
      <div className={styles.text}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: flag.project, featureName: flag.name }}
          className={styles.name}
        >
          {flag.name}
        </Link>{' '}
        <Badge look={flag.stale ? 'warning' : 'plain'}>{flag.stale ? 'stale' : 'potentially stale'}</Badge>
        <p className={styles.quiet}>
          {flag.project} · {flag.type} ·{' '}
          {seen === null ? (
            'never seen'
          ) : (
            <>
              seen <Time at={seen} />
            </>
          )}
        </p>
        <p className={styles.quiet}>
          In this stage since <Time at={flag.lifecycle.enteredStageAt} />
        </p>
      </div>
    </li>
  );
}
