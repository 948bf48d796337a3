import { useState } from 'react';
import { BulkBar } from '../flags/bulk-bar.tsx';
import { type FlagOfList, keyOf } from '../flags/flag-row.tsx';
import { Button } from '../ui/button.tsx';
import styles from './board.module.css';
import { ofStage, stages } from './stages.ts';
import { StaleFlag } from './stale-flag.tsx';

interface Props {
  flags: FlagOfList[];
  /** Also of those that were not read yet. */
  total: number;
  /** Null if all were read. */
  readOn: (() => void) | null;
  isReading: boolean;
}

/** Stale flags in a column for each stage of their lives. */
export function Board({ flags, total, readOn, isReading }: Props) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = flags.filter((flag) => selected.has(keyOf(flag)));
  const select = (flag: FlagOfList, isSelected: boolean) => {
    const changed = new Set(selected);
    if (isSelected) changed.add(keyOf(flag));
    else changed.delete(keyOf(flag));
    setSelected(changed);
  };
  return (
    <>
      <BulkBar
        kinds={['stale', 'archive']}
        flags={chosen}
        total={total}
        loaded={flags.length}
        onAll={(all) => setSelected(new Set(all ? flags.map(keyOf) : []))}
      />
      <div className={styles.board}>
        {stages.map(([stage, title, advice]) => {
          const found = ofStage(flags, stage);
          return (
            <section key={stage} className={styles.column} aria-labelledby={`stage-${stage}`}>
              <h2 id={`stage-${stage}`}>
                {title} <span className={styles.quiet}>{found.length.toLocaleString()}</span>
              </h2>
              <p className={styles.quiet}>{advice}</p>
              <ul className={styles.flags}>
                {found.map((flag) => (
                  <StaleFlag
                    key={keyOf(flag)}
                    flag={flag}
                    isSelected={selected.has(keyOf(flag))}
                    onSelect={(isSelected) => select(flag, isSelected)}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      {readOn !== null && (
        <p className={styles.more}>
          These are {flags.length.toLocaleString()} of {total.toLocaleString()} flags, those first that were not seen
          the longest.{' '}
          <Button isBusy={isReading} onClick={readOn}>
            Read more
          </Button>
        </p>
      )}
    </>
  );
}
