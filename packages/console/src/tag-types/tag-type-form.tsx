import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { tagTypesQuery } from '../api/queries.ts';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';

interface Props {
  /** Null for a new one. */
  tagType: Schemas['tagTypeSchema'] | null;
  onClose: () => void;
}

export function TagTypeForm({ tagType, onClose }: Props) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState({
    name: tagType?.name ?? '',
    description: tagType?.description ?? '',
    color: tagType?.color ?? '',
  });
  const save = useMutation({
    async mutationFn() {
      const { name } = draft;
      const body = { description: draft.description.trim() || null, color: draft.color || null };
      if (tagType === null) await write(() => api.POST('/api/admin/tag-types', { body: { name, ...body } }));
      else await write(() => api.PUT('/api/admin/tag-types/{name}', { params: { path: { name } }, body }));
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: tagTypesQuery.queryKey });
      sayDone(`The tag type ${draft.name} was ${tagType === null ? 'made' : 'saved'}.`);
      onClose();
    },
  });
  const { error } = save;
  return (
    <FormDialog
      title={tagType === null ? 'New tag type' : `Edit ${tagType.name}`}
      submit={tagType === null ? 'Make tag type' : 'Save'}
      mutation={save}
      names={['name', 'description', 'color']}
      onClose={onClose}
    >
      {tagType === null && (
        <TextField
          label="Name"
          required
          minLength={2}
          maxLength={50}
          autoCapitalize="none"
          spellCheck={false}
          hint="Letters, digits and -_.~. It cannot be changed later."
          error={fieldError(error, 'name')}
          value={draft.name}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
      )}
      <TextAreaField
        label="Description"
        error={fieldError(error, 'description')}
        value={draft.description}
        onChange={(event) => setDraft({ ...draft, description: event.target.value })}
      />
      <TextField
        label="Color"
        placeholder="#2f4fc7"
        hint="As # and six digits, or empty."
        error={fieldError(error, 'color')}
        value={draft.color}
        onChange={(event) => setDraft({ ...draft, color: event.target.value.trim() })}
      />
    </FormDialog>
  );
}
