import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Errors, errorAt, errorsOf } from '../api/property-errors.ts';
import { featureTypesQuery } from '../api/queries.ts';
import type { Flag } from '../save/after.ts';
import type { FlagSettings } from '../save/change.ts';
import { useLastChange } from '../save/last-change.ts';
import { isSame } from '../save/same.ts';
import { useSave } from '../save/save.tsx';
import { settingsChanged } from '../save/settings-words.ts';
import { Button } from '../ui/button.tsx';
import { ChangedNotice } from '../ui/changed-notice.tsx';
import { CheckField, SelectField, TextAreaField } from '../ui/field.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import styles from './flag-settings.module.css';

type Edited = Pick<FlagSettings, 'description' | 'type' | 'impressionData'>;

const editedOf = ({ description, type, impressionData }: Edited): Edited => ({ description, type, impressionData });

/** A form of what a flag is. What is typed stays while somebody else changes the flag. */
export function FlagSettingsForm({ flag, onClose }: { flag: Flag; onClose: () => void }) {
  const save = useSave();
  const by = useLastChange({ project: flag.project, feature: flag.name }, 'settings');
  const types = useQuery(featureTypesQuery);
  const [before, setBefore] = useState(() => editedOf(flag));
  const [after, setAfter] = useState(before);
  const [errors, setErrors] = useState<Errors>({});
  const set = (change: Partial<Edited>) => setAfter({ ...after, ...change });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const changed = (Object.keys(after) as (keyof Edited)[]).filter((name) => !isSame(before[name], after[name]));
    if (changed.length === 0) return onClose();
    const partOf = (settings: Edited) => Object.fromEntries(changed.map((name) => [name, settings[name]]));
    const change = { kind: 'settings' as const, before: partOf(before), after: partOf(after) };
    const outcome = await save({ project: flag.project, feature: flag.name }, change);
    if (outcome === 'done' || outcome === 'discarded') onClose();
    if (outcome instanceof Error) setErrors(errorsOf(outcome));
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} aria-label={`Settings of ${flag.name}`}>
      <LeaveGuard isDirty={!isSame(before, after)} />
      {!isSame(before, editedOf(flag)) && (
        <ChangedNotice
          what="these"
          by={by}
          isCompared
          changes={settingsChanged(before, editedOf(flag))}
          onTake={() => {
            setBefore(editedOf(flag));
            setAfter(editedOf(flag));
          }}
        />
      )}
      <TextAreaField
        label="Description"
        rows={3}
        error={errorAt(errors, '.description')}
        value={after.description ?? ''}
        onChange={(event) => set({ description: event.target.value || null })}
      />
      <SelectField
        label="Type"
        hint={types.data?.types.find(({ id }) => id === after.type)?.description}
        value={after.type}
        onChange={(event) => set({ type: event.target.value })}
      >
        {(types.data?.types ?? [{ id: after.type, name: after.type }]).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <CheckField
        label="SDKs send impression events"
        checked={after.impressionData}
        onChange={(event) => set({ impressionData: event.target.checked })}
      />
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit">
          Review and save
        </Button>
      </div>
    </form>
  );
}
