import { type FormEvent, useState } from 'react';
import { type Errors, errorAt, errorsOf } from '../api/property-errors.ts';
import type { FlagLink, LinkSettings, Target } from '../save/change.ts';
import { useSave } from '../save/save.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import settings from './flag-settings.module.css';

interface Props {
  target: Target;
  /** Null for a new one. */
  before: FlagLink | null;
  onClose: () => void;
}

/** A link that is added or edited. */
export function LinkForm({ target, before, onClose }: Props) {
  const save = useSave();
  const [link, setLink] = useState<LinkSettings>({ url: before?.url ?? '', title: before?.title ?? null });
  const [errors, setErrors] = useState<Errors>({});
  const after = { url: link.url.trim(), title: link.title?.trim() || null };
  const isDirty = after.url !== (before?.url ?? '') || after.title !== (before?.title ?? null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isDirty) return onClose();
    const outcome = await save(target, { kind: 'link', before, after });
    if (outcome === 'done' || outcome === 'discarded') onClose();
    if (outcome instanceof Error) setErrors(errorsOf(outcome));
  };
  return (
    <form
      className={settings.form}
      onSubmit={(event) => void submit(event)}
      aria-label={before === null ? 'New link' : 'Link'}
    >
      <LeaveGuard isDirty={isDirty} />
      <TextField
        label="Address"
        type="url"
        required
        maxLength={2000}
        placeholder="https://"
        error={errorAt(errors, '.url')}
        value={link.url}
        onChange={(event) => setLink({ ...link, url: event.target.value })}
      />
      <TextField
        label="Title"
        hint="It can be empty."
        maxLength={255}
        error={errorAt(errors, '.title')}
        value={link.title ?? ''}
        onChange={(event) => setLink({ ...link, title: event.target.value })}
      />
      <div className={settings.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit">
          {before === null ? 'Review and add' : 'Review and save'}
        </Button>
      </div>
    </form>
  );
}
