import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { tagTypesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import type { Flag } from '../save/after.ts';
import type { Tag } from '../save/change.ts';
import { useSave } from '../save/save.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { isolated } from '../ui/direction.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import styles from './flag-tags.module.css';

/** The tags of a flag, with a form for one more. */
export function FlagTags({ flag }: { flag: Flag }) {
  const save = useSave();
  const missing = useMissing();
  const [isAdding, setAdding] = useState(false);
  const change = (added: Tag[], removed: Tag[]) =>
    save({ project: flag.project, feature: flag.name }, { kind: 'tags', added, removed });
  const offBecause = missing('UPDATE_FEATURE', flag.project);
  return (
    <div className={styles.tags}>
      {flag.tags.map((tag) => (
        <span key={`${tag.type}:${tag.value}`} className={styles.tag}>
          <Badge>
            {tag.type}:{tag.value}
          </Badge>
          {offBecause === null && (
            <button
              type="button"
              className={styles.remove}
              aria-label={`Remove the tag ${tag.type}:${isolated(tag.value)}`}
              onClick={() => void change([], [tag])}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {isAdding ? (
        <NewTag
          onCancel={() => setAdding(false)}
          onAdd={async (tag) => {
            if ((await change([tag], [])) === 'done') setAdding(false);
          }}
        />
      ) : (
        <Button look="quiet" offBecause={offBecause} onClick={() => setAdding(true)}>
          Add a tag
        </Button>
      )}
    </div>
  );
}

function NewTag({ onAdd, onCancel }: { onAdd: (tag: Tag) => Promise<void>; onCancel: () => void }) {
  const types = useQuery(tagTypesQuery);
  const [tag, setTag] = useState<Tag>({ type: 'simple', value: '' });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onAdd({ ...tag, value: tag.value.trim() });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <LeaveGuard isDirty={tag.value !== ''} />
      <SelectField
        label="Type of tag"
        value={tag.type}
        onChange={(event) => setTag({ ...tag, type: event.target.value })}
      >
        {(types.data?.tagTypes ?? [{ name: 'simple' }]).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField
        label="Value"
        required
        minLength={2}
        maxLength={50}
        value={tag.value}
        onChange={(event) => setTag({ ...tag, value: event.target.value })}
      />
      <Button type="submit">Review and add</Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
