import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { errorBeside, fieldError } from '../api/property-errors.ts';
import { projectsQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { flagTypes } from './flag-types.ts';
import styles from './new-flag-form.module.css';

/** The form of a new flag. Without `project` one is chosen in it. */
export function NewFlagForm({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data } = useQuery({ ...projectsQuery, enabled: project === undefined });
  const [projectId, setProjectId] = useState(project ?? 'default');
  const [body, setBody] = useState({ name: '', description: '', type: 'release', impressionData: false });
  const create = useMutation({
    mutationFn: () =>
      write(() => api.POST('/api/admin/projects/{projectId}/features', { params: { path: { projectId } }, body })),
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: ['features'] });
      await navigate({ to: '/projects/$projectId/features/$featureName', params: { projectId, featureName: name } });
    },
  });
  const isTaken = create.error instanceof Problem && create.error.kind === 'conflict';
  const rest = isTaken ? null : errorBeside(create.error, ['name', 'description']);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog title="New flag" isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={100}
          autoCapitalize="none"
          spellCheck={false}
          hint="Code asks for the flag by this name. It cannot be changed later."
          error={isTaken ? create.error?.message : fieldError(create.error, 'name')}
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
        <SelectField
          label="Type"
          value={body.type}
          onChange={(event) => setBody({ ...body, type: event.target.value })}
        >
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
        {rest !== null && <Failed error={rest} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton mutation={create}>Make flag</SubmitButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
