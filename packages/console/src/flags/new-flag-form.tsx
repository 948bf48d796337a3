import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { projectsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { flagTypes } from './flag-types.ts';

/** The form of a new flag. Without `project` one is chosen in it. */
export function NewFlagForm({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissing();
  const { data } = useQuery({ ...projectsQuery, enabled: project === undefined });
  const [projectId, setProjectId] = useState(project ?? 'default');
  const [body, setBody] = useState({ name: '', description: '', type: 'release', impressionData: false });
  const create = useMutation({
    mutationFn: () =>
      write(() => api.POST('/api/admin/projects/{projectId}/features', { params: { path: { projectId } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['features'] }),
  });
  // Only if the dialog is still there: who has closed it may be at something else.
  const send = () =>
    create.mutate(undefined, {
      onSuccess: ({ name }) =>
        navigate({ to: '/projects/$projectId/features/$featureName', params: { projectId, featureName: name } }),
    });
  return (
    <FormDialog
      title="New flag"
      submit="Make flag"
      mutation={{ ...create, mutate: send }}
      names={['name', 'description']}
      offBecause={missing('CREATE_FEATURE', projectId)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        autoCapitalize="none"
        spellCheck={false}
        hint="Code asks for the flag by this name. It cannot be changed later."
        error={fieldError(create.error, 'name')}
        value={body.name}
        onChange={(event) => setBody({ ...body, name: event.target.value })}
      />
      {project === undefined && (
        <SelectField label="Project" value={projectId} onChange={(event) => setProjectId(event.target.value)}>
          {(data?.projects ?? [{ id: 'default', name: 'Default' }]).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField label="Type" value={body.type} onChange={(event) => setBody({ ...body, type: event.target.value })}>
        {flagTypes.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <TextAreaField
        label="Description"
        error={fieldError(create.error, 'description')}
        value={body.description}
        onChange={(event) => setBody({ ...body, description: event.target.value })}
      />
      <CheckField
        label="SDKs send impression events"
        checked={body.impressionData}
        onChange={(event) => setBody({ ...body, impressionData: event.target.checked })}
      />
    </FormDialog>
  );
}
