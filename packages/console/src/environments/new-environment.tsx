import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { environmentsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { NameField } from './name-field.tsx';
import { TypeField } from './type-field.tsx';

/** A button that opens the form of a new environment. */
export function NewEnvironment() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={useMissing()('ADMIN')}>
        New environment
      </Button>
      {isOpen && <NewEnvironmentForm onClose={() => setOpen(false)} />}
    </>
  );
}

function NewEnvironmentForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [body, setBody] = useState({ name: '', type: 'development' });
  const create = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/environments', { body })),
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: environmentsQuery.queryKey });
      sayDone(`The environment ${name} was made. Projects can add it in their settings.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="New environment"
      submit="Make environment"
      mutation={create}
      names={['name', 'type']}
      onClose={onClose}
    >
      <NameField value={body.name} error={create.error} onChange={(name) => setBody({ ...body, name })} />
      <TypeField
        value={body.type}
        error={fieldError(create.error, 'type')}
        onChange={(type) => setBody({ ...body, type })}
      />
    </FormDialog>
  );
}
