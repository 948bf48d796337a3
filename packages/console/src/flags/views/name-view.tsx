import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/property-errors.ts';
import { savedViewsQuery } from '../../api/queries.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { SavedView } from './saved-view.ts';

interface Props {
  title: string;
  /** What its button says. */
  submit: string;
  initial: string;
  send: (name: string) => Promise<SavedView>;
  onDone: (view: SavedView) => void;
  onClose: () => void;
}

/** Asks for the name of a view, a new one or one that is renamed. */
export function NameView({ title, submit, initial, send, onDone, onClose }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState(initial);
  const save = useMutation({
    mutationFn: () => send(name),
    async onSuccess(view) {
      await queries.invalidateQueries({ queryKey: savedViewsQuery.queryKey });
      onDone(view);
      onClose();
    },
  });
  return (
    <FormDialog {...{ title, submit, onClose }} mutation={save} names={['name']}>
      <TextField
        label="Name"
        required
        maxLength={100}
        hint="Only you see it."
        error={fieldError(save.error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
