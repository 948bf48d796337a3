import { lazy, Suspense, useState } from 'react';
import { useMissing } from '../app/session.ts';
import { type BulkAction, permissionOf } from '../save/bulk-action.ts';
import { Button } from '../ui/button.tsx';
import styles from './bulk-bar.module.css';
import type { FlagOfList } from './flag-row.tsx';

const BulkReview = lazy(async () => ({ default: (await import('../save/bulk-review.tsx')).BulkReview }));

// Apart, because the first screen would load an eighth more with menus.
const SwitchMenus = lazy(async () => ({ default: (await import('./switch-menus.tsx')).SwitchMenus }));

interface Props {
  /** The selected flags. */
  flags: FlagOfList[];
  /** How many flags of the list were read, and how many it has. */
  loaded: number;
  total: number;
  onAll: (isAll: boolean) => void;
  /** What is offered; everything unless given. */
  kinds?: readonly BulkAction['kind'][];
}

const everything: readonly BulkAction['kind'][] = ['switch', 'tag', 'stale', 'archive'];

/** Above a list: how many flags there are, and what can be done with the selected ones. */
export function BulkBar({ flags, loaded, total, onAll, kinds = everything }: Props) {
  const missing = useMissing();
  const isAll = flags.length === loaded;
  const [action, setAction] = useState<BulkAction | null>(null);
  const environments = [...new Map(flags.flatMap((flag) => flag.environments.map(({ name }) => [name, name]))).keys()];

  const lacks = (wanted: BulkAction) => {
    const { permission, environment } = permissionOf(wanted);
    const projects = [...new Set(flags.map(({ project }) => project))];
    return (
      projects.map((project) => missing(permission, project, environment)).find((reason) => reason !== null) ?? null
    );
  };
  const buttons: [string, BulkAction][] = [
    ['Tag', { kind: 'tag', tag: null }],
    ['Stale', { kind: 'stale', isStale: true }],
    ['Not stale', { kind: 'stale', isStale: false }],
    ['Archive', { kind: 'archive' }],
  ];
  const offered = buttons.filter(([, { kind }]) => kinds.includes(kind));

  return (
    <div className={styles.bar}>
      <div className={styles.all}>
        <input
          type="checkbox"
          aria-label={
            loaded < total
              ? `Select the first ${loaded.toLocaleString()} of ${total.toLocaleString()} flags`
              : 'Select every flag of the list'
          }
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = flags.length > 0 && !isAll;
          }}
          onChange={(event) => onAll(event.target.checked)}
        />
        <span role="status">{selectedWords(flags.length, loaded, total)}</span>
      </div>
      {flags.length > 0 && (
        <div className={styles.actions}>
          {kinds.includes('switch') && (
            <Suspense>
              <SwitchMenus environments={environments} lacks={lacks} onChoose={setAction} />
            </Suspense>
          )}
          {offered.map(([label, wanted]) => (
            <Button key={label} onClick={() => setAction(wanted)} offBecause={lacks(wanted)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      {action !== null && (
        <Suspense>
          <BulkReview
            flags={flags}
            action={action}
            onClose={(isDone) => {
              setAction(null);
              if (isDone) onAll(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

function selectedWords(selected: number, loaded: number, total: number): string {
  if (selected === 0) return total === 1 ? 'One flag' : `${total.toLocaleString()} flags`;
  const isPart = selected === loaded && loaded < total;
  return `${selected.toLocaleString()} ${isPart ? `of ${total.toLocaleString()} ` : ''}selected`;
}
