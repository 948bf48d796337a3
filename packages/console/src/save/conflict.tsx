import type { SegmentNames } from '../flag/strategy-words.ts';
import { Button } from '../ui/button.tsx';
import { CloseButton, DialogActions } from '../ui/dialog.tsx';
import { Time } from '../ui/time.tsx';
import { type Flag, rebased } from './after.ts';
import type { FlagChange, FlagSettings, Target } from './change.ts';
import { useLastChange } from './last-change.ts';
import styles from './review.module.css';
import { describeChange, detailsOf, strategyChanged } from './words.ts';

interface Props {
  target: Target;
  change: FlagChange;
  names: SegmentNames;
  reason: 'gone' | 'changed';
  now: Flag;
  isBusy: boolean;
  onDiscard: () => void;
  onKeep: () => void;
}

/** What somebody else did and what this person wants, beside each other. */
export function Conflict({ target, change, names, reason, now, isBusy, onDiscard, onKeep }: Props) {
  const environment = 'environment' in change ? change.environment : undefined;
  const other = useLastChange(target, change.kind, environment);
  const isDeleted =
    reason === 'gone' && (change.kind === 'delete-strategy' || (change.kind === 'link' && change.after === null));
  return (
    <>
      <p>
        {other === undefined ? 'Somebody else' : other.by} changed it{' '}
        {other !== undefined && (
          <>
            <Time at={other.at} />,{' '}
          </>
        )}
        after you began. Nothing of yours was saved.
      </p>
      <div className={styles.beside}>
        <Side title="Theirs, which the server has" sentences={theirs(change, now, names)} />
        <Side
          title="Yours"
          sentences={[`This ${describeChange(target, change, names)}.`, ...detailsOf(rebased(change, now), names)]}
        />
      </div>
      <DialogActions>
        <CloseButton>Back</CloseButton>
        <CloseButton onClick={onDiscard}>Discard mine</CloseButton>
        {!isDeleted && (
          <Button look="danger" isBusy={isBusy} onClick={onKeep}>
            Apply mine anyway
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function Side({ title, sentences }: { title: string; sentences: string[] }) {
  return (
    <section className={styles.side}>
      <h3>{title}</h3>
      <ul className={styles.details}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function theirs(change: FlagChange, now: Flag, names: SegmentNames): string[] {
  switch (change.kind) {
    case 'edit-strategy':
    case 'delete-strategy': {
      const environment = now.environments.find(({ name }) => name === change.environment);
      const strategy = environment?.strategies.find(({ id }) => id === change.before.id);
      return strategy === undefined ? ['It was deleted.'] : strategyChanged(change.before, strategy, names);
    }
    case 'order-strategies': {
      const strategies = now.environments.find(({ name }) => name === change.environment)?.strategies ?? [];
      return detailsOf({ ...change, after: strategies }, names);
    }
    case 'variants': {
      const environment = now.environments.find(({ name }) => name === change.environment);
      return detailsOf({ ...change, after: environment?.variants ?? [] });
    }
    case 'dependencies':
      return detailsOf({ ...change, after: now.dependencies });
    case 'link': {
      const link = now.links.find(({ id }) => id === change.before?.id);
      return link === undefined ? ['It was removed.'] : detailsOf({ ...change, after: link });
    }
    case 'settings': {
      const after = Object.fromEntries(
        Object.keys(change.before).map((name) => [name, now[name as keyof FlagSettings]]),
      ) as Partial<FlagSettings>;
      return detailsOf({ ...change, after }, names);
    }
    default:
      return [];
  }
}
