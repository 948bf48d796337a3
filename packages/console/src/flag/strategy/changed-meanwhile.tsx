import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../../api/queries.ts';
import { type Strategy, settingsOf } from '../../save/change.ts';
import { useLastChange } from '../../save/last-change.ts';
import { isSame } from '../../save/same.ts';
import { strategyChanged } from '../../save/words.ts';
import { Time } from '../../ui/time.tsx';
import { segmentNamesIn } from '../strategy-words.ts';
import styles from './changed-meanwhile.module.css';

interface Props {
  project: string;
  feature: string;
  environment: string;
  before: Strategy;
  /** What the server has; undefined if it was deleted. */
  now: Strategy | undefined;
}

/** Says that somebody else changed what is edited here. What was typed stays. */
export function ChangedMeanwhile({ project, feature, environment, before, now }: Props) {
  const change = useLastChange({ project, feature }, 'edit-strategy', environment);
  const { data } = useQuery(segmentsQuery);
  if (now !== undefined && isSame(settingsOf(now), settingsOf(before))) return null;
  const names = segmentNamesIn(data);
  const by = change?.by ?? 'somebody else';
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>
          {now === undefined ? 'Deleted' : 'Changed'} by {by} {change !== undefined && <Time at={change.at} />} while
          you were here.
        </strong>{' '}
        What you typed stays. Before anything is overwritten you see both.
      </p>
      {now !== undefined && (
        <ul className={styles.changes}>
          {strategyChanged(before, now, names).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
