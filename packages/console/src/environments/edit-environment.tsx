import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';
import type { Environment } from './environment.ts';
import { TypeField } from './type-field.tsx';

export function EditEnvironment({ environment, onClose }: { environment: Environment; onClose: () => void }) {
  const queries = useQueryClient();
  const { name } = environment;
  const [type, setType] = useState(environment.type);
  const save = useMutation({
    mutationFn: () =>
      write(() => api.PUT('/api/admin/environments/update/{name}', { params: { path: { name } }, body: { type } })),
    async onSuccess() {
      // Every screen of flags shows it.
      await queries.invalidateQueries();
      sayDone(`The environment ${name} has the type ${type}.`);
      onClose();
    },
  });
  return (
    <FormDialog title={`Type of ${name}`} submit="Save" mutation={save} names={['type']} onClose={onClose}>
      <TypeField value={type} error={fieldError(save.error, 'type')} onChange={setType} />
    </FormDialog>
  );
}
