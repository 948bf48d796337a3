import { type FormEvent, useState } from 'react';
import { type Errors, errorsOf } from '../api/property-errors.ts';
import type { Flag } from '../save/after.ts';
import type { Parent } from '../save/change.ts';
import { dependenciesChanged, dependOnSame } from '../save/dependency-words.ts';
import { useLastChange } from '../save/last-change.ts';
import { useSave } from '../save/save.tsx';
import { Button } from '../ui/button.tsx';
import { ChangedNotice } from '../ui/changed-notice.tsx';
import items from '../ui/items.module.css';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import settings from './flag-settings.module.css';
import { ParentField } from './parent-field.tsx';
import styles from './relations.module.css';
import { keyed } from './strategy/draft.ts';

const toDraft = (parents: readonly Parent[]) =>
  parents.map(({ feature, enabled = true, variants = [] }) => keyed({ feature, enabled, variants }));

/** The parents of a flag, as a form. What is chosen stays while somebody else changes the flag. */
export function DependenciesForm({ flag, onClose }: { flag: Flag; onClose: () => void }) {
  const save = useSave();
  const by = useLastChange({ project: flag.project, feature: flag.name }, 'dependencies');
  const [before, setBefore] = useState(flag.dependencies);
  const [draft, setDraft] = useState(() => toDraft(before));
  const [errors, setErrors] = useState<Errors>({});
  const after = draft.map(({ key: _key, ...parent }) => parent);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (dependOnSame(before, after)) return onClose();
    const outcome = await save(
      { project: flag.project, feature: flag.name },
      {
        kind: 'dependencies',
        before,
        after,
      },
    );
    if (outcome === 'done' || outcome === 'discarded') onClose();
    if (outcome instanceof Error) setErrors(errorsOf(outcome));
  };
  return (
    <form
      className={settings.form}
      onSubmit={(event) => void submit(event)}
      aria-label={`What ${flag.name} depends on`}
    >
      <LeaveGuard isDirty={!dependOnSame(before, after)} />
      {!dependOnSame(before, flag.dependencies) && (
        <ChangedNotice
          what="what it depends on"
          by={by}
          isCompared
          changes={dependenciesChanged(before, flag.dependencies)}
          onTake={() => {
            setBefore(flag.dependencies);
            setDraft(toDraft(flag.dependencies));
          }}
        />
      )}
      <p>The flag is on only where all of these hold. A flag on which others depend cannot depend on a flag itself.</p>
      <ol className={items.items} aria-label="Parents">
        {draft.map((parent, index) => (
          <li key={parent.key} className={items.item}>
            <ParentField
              {...{ flag, parent, errors, index }}
              others={draft.flatMap(({ key, feature }) => (key === parent.key ? [] : [feature]))}
              onChange={(changed) => setDraft(draft.with(index, { ...changed, key: parent.key }))}
              onRemove={() => setDraft(draft.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      <div className={styles.row}>
        <Button onClick={() => setDraft([...draft, keyed({ feature: '', enabled: true, variants: [] })])}>
          Add a parent
        </Button>
      </div>
      <div className={settings.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit">
          Review and save
        </Button>
      </div>
    </form>
  );
}
