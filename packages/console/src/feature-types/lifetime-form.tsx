import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { featureTypesQuery } from '../api/queries.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';

export function LifetimeForm({ type, onClose }: { type: Schemas['featureTypeSchema']; onClose: () => void }) {
  const queries = useQueryClient();
  const [days, setDays] = useState(type.lifetimeDays);
  const save = useMutation({
    mutationFn: () =>
      write(() =>
        api.PUT('/api/admin/feature-types/{id}/lifetime', {
          params: { path: { id: type.id } },
          body: { lifetimeDays: days },
        }),
      ),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: featureTypesQuery.queryKey });
      sayDone(`The lifetime of ${type.name} was saved.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Lifetime of ${type.name}`}
      submit="Save"
      mutation={save}
      names={['lifetimeDays']}
      onClose={onClose}
    >
      <TextField
        label="Days"
        type="number"
        min={0}
        step={1}
        hint="After these days a flag is potentially stale. Empty: for ever."
        error={fieldError(save.error, 'lifetimeDays')}
        value={days ?? ''}
        onChange={({ target: { value } }) => setDays(value === '' ? null : Number(value))}
      />
    </FormDialog>
  );
}
