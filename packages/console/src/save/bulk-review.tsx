import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { tagTypesQuery } from '../api/queries.ts';
import { CloseButton, Dialog, DialogActions, isSent } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { applyBulkAction, type BulkAction, type ChosenFlag } from './bulk-action.ts';
import styles from './bulk-review.module.css';
import { describeBulkAction, describeBulkDone, describeOneSwitch } from './bulk-words.ts';

interface Props {
  flags: ChosenFlag[];
  action: BulkAction;
  onClose: (isDone: boolean) => void;
}

/** Says what is done with which flags before it is sent. */
export function BulkReview({ flags: chosen, action, onClose }: Props) {
  const queries = useQueryClient();
  // Those that were reviewed, whatever the list shows meanwhile.
  const [flags] = useState(chosen);
  // After a failure those of other projects are left.
  const [changed, setChanged] = useState<ChosenFlag[]>([]);
  const left = flags.filter((flag) => !changed.includes(flag));
  const [tag, setTag] = useState({ type: 'simple', value: '' });
  const whole: BulkAction = action.kind === 'tag' ? { ...action, tag } : action;
  const apply = useMutation({
    mutationFn: () => applyBulkAction(whole, left, (ofProject) => setChanged((before) => [...before, ...ofProject])),
    onSuccess() {
      sayDone(describeBulkDone(whole, flags.length));
      onClose(true);
    },
    onSettled: () => void queries.invalidateQueries(),
  });
  const staysBecause = apply.isPending ? isSent.change : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply.mutate();
  };
  return (
    <Dialog title="Change several flags" isOpen onClose={() => onClose(false)} staysBecause={staysBecause}>
      <form className={styles.form} onSubmit={submit}>
        {changed.length > 0 && <p>{describeBulkDone(whole, changed.length)}</p>}
        <p>This {describeBulkAction(whole, left.length)}.</p>
        {action.kind === 'tag' && <TagFields tag={tag} onChange={setTag} />}
        <ul className={styles.flags}>
          {left.map(({ project, name, environments }) => (
            <li key={`${project}/${name}`}>
              {name} <span className={styles.quiet}>{project}</span>
              {action.kind === 'switch' && (
                <p className={styles.quiet}>
                  {describeOneSwitch(
                    environments.find((each) => each.name === action.environment),
                    action.isOn,
                  )}
                </p>
              )}
            </li>
          ))}
        </ul>
        {apply.error !== null && <Failed error={apply.error} />}
        <DialogActions>
          <CloseButton />
          <SubmitButton look={action.kind === 'archive' ? 'danger' : 'primary'} mutation={apply}>
            Apply
          </SubmitButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface TagFieldsProps {
  tag: { type: string; value: string };
  onChange: (tag: { type: string; value: string }) => void;
}

function TagFields({ tag, onChange }: TagFieldsProps) {
  const { data } = useQuery(tagTypesQuery);
  return (
    <>
      <SelectField label="Type" value={tag.type} onChange={(event) => onChange({ ...tag, type: event.target.value })}>
        {(data?.tagTypes ?? [{ name: 'simple' }]).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField
        label="Value"
        required
        minLength={2}
        maxLength={50}
        value={tag.value}
        onChange={(event) => onChange({ ...tag, value: event.target.value })}
      />
    </>
  );
}
