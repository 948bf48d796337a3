import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError, takenAt } from '../api/property-errors.ts';
import { environmentsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceList } from '../ui/choice-list.tsx';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';

/** A button that opens the form of a new project. */
export function NewProject() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={useMissing()('CREATE_PROJECT')}>
        New project
      </Button>
      {isOpen && <NewProjectForm onClose={() => setOpen(false)} />}
    </>
  );
}

function NewProjectForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data } = useQuery(environmentsQuery);
  const offered = (data?.environments ?? []).filter(({ enabled }) => enabled).map(({ name }) => name);
  const [draft, setDraft] = useState({ name: '', id: '', description: '' });
  /** Null until it is changed: every environment. */
  const [chosen, setChosen] = useState<string[] | null>(null);
  const create = useMutation({
    mutationFn: () => {
      const { name, id, description } = draft;
      const environments = chosen === null ? {} : { environments: chosen };
      return write(() =>
        api.POST('/api/admin/projects', {
          body: { name, description: description.trim() || null, ...(id !== '' && { id }), ...environments },
        }),
      );
    },
    // The roles of the one who made it are new too.
    onSuccess: () => queries.invalidateQueries(),
  });
  // Only if the dialog is still there: who has closed it may be at something else.
  const send = () =>
    create.mutate(undefined, {
      onSuccess: ({ id }) => navigate({ to: '/projects/$projectId', params: { projectId: id } }),
    });
  const error = takenAt('id', create.error);
  return (
    <FormDialog
      title="New project"
      submit="Make project"
      mutation={{ ...create, error, mutate: send }}
      names={['name', 'id', 'description', 'environments']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        error={fieldError(error, 'name')}
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <TextField
        label="Id"
        maxLength={100}
        autoCapitalize="none"
        spellCheck={false}
        hint="A part of addresses and tokens, which cannot be changed later. Empty: it is made from the name."
        error={fieldError(error, 'id')}
        value={draft.id}
        onChange={(event) => setDraft({ ...draft, id: event.target.value.trim() })}
      />
      <TextAreaField
        label="Description"
        error={fieldError(error, 'description')}
        value={draft.description}
        onChange={(event) => setDraft({ ...draft, description: event.target.value })}
      />
      <ChoiceList
        label="Environments"
        choices={offered.map((name) => ({ value: name, label: name }))}
        chosen={chosen ?? offered}
        error={fieldError(error, 'environments')}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
