import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { StickinessField } from '../flag/strategy/stickiness-field.tsx';
import { isSame } from '../save/same.ts';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { SettingsForm, type SettingsProps } from './settings-form.tsx';
import { useSaveProject } from './use-save-project.ts';

export function GeneralSettings({ id, project, onSaved }: SettingsProps) {
  const { name, description, defaultStickiness, featureLimit } = project;
  const initial = { name, description: description || null, defaultStickiness, featureLimit };
  const [draft, setDraft] = useState(initial);
  const body = { ...draft, description: draft.description?.trim() || null };
  const save = useSaveProject(
    id,
    () => write(() => api.PUT('/api/admin/projects/{projectId}', { params: { path: { projectId: id } }, body })),
    onSaved,
  );
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const { error } = save;
  return (
    <SettingsForm
      title="General"
      id={id}
      project={project}
      isDirty={!isSame(body, initial)}
      mutation={save}
      names={['name', 'description', 'defaultStickiness', 'featureLimit']}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        error={fieldError(error, 'name')}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextAreaField
        label="Description"
        error={fieldError(error, 'description')}
        value={draft.description ?? ''}
        onChange={(event) => set({ description: event.target.value })}
      />
      <StickinessField
        project={id}
        hint="What a new rollout in this project keeps users by."
        value={draft.defaultStickiness}
        onChange={(stickiness) => set({ defaultStickiness: stickiness })}
      />
      <TextField
        label="Most flags"
        type="number"
        min={0}
        step={1}
        hint="How many flags that are not archived the project may have. Empty: any number."
        error={fieldError(error, 'featureLimit')}
        value={draft.featureLimit ?? ''}
        onChange={({ target: { value } }) => set({ featureLimit: value === '' ? null : Number(value) })}
      />
    </SettingsForm>
  );
}
