import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { isSame } from '../save/same.ts';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { SettingsForm, type SettingsProps } from './settings-form.tsx';
import { useSaveProject } from './use-save-project.ts';

/** The pattern that names of new flags must match. */
export function NamingSettings({ id, project, onSaved }: SettingsProps) {
  const { featureNaming } = project;
  const [draft, setDraft] = useState({
    pattern: featureNaming.pattern ?? '',
    example: featureNaming.example ?? '',
    description: featureNaming.description ?? '',
  });
  const naming = namingOf(draft);
  const save = useSaveProject(
    id,
    () => {
      const body = { featureNaming: naming.pattern === null ? { pattern: null } : naming };
      return write(() =>
        api.PUT('/api/admin/projects/{projectId}/settings', { params: { path: { projectId: id } }, body }),
      );
    },
    onSaved,
  );
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const { error } = save;
  const field = (name: keyof typeof draft) => ({
    value: draft[name],
    error: fieldError(error, `featureNaming.${name}`),
  });
  return (
    <SettingsForm
      title="Names of flags"
      hint="For new flags. Those that exist keep their names."
      id={id}
      project={project}
      isDirty={!isSame(naming, namingOf(featureNaming))}
      mutation={save}
      names={['featureNaming.pattern', 'featureNaming.example', 'featureNaming.description']}
    >
      <TextField
        label="Pattern"
        maxLength={255}
        autoCapitalize="none"
        spellCheck={false}
        placeholder="shop\.[a-z-]+"
        hint="A regular expression that the whole name must match. Empty: any name."
        {...field('pattern')}
        onChange={(event) => set({ pattern: event.target.value })}
      />
      {draft.pattern !== '' && (
        <>
          <TextField
            label="Example"
            maxLength={100}
            autoCapitalize="none"
            spellCheck={false}
            hint="A name that matches the pattern."
            {...field('example')}
            onChange={(event) => set({ example: event.target.value })}
          />
          <TextAreaField
            label="What the names mean"
            {...field('description')}
            onChange={(event) => set({ description: event.target.value })}
          />
        </>
      )}
    </SettingsForm>
  );
}

/** As it is stored: without a pattern the rest has no meaning. */
function namingOf({ pattern, example, description }: SettingsProps['project']['featureNaming']) {
  if (!pattern) return { pattern: null, example: null, description: null };
  return { pattern, example: example || null, description: description?.trim() || null };
}
