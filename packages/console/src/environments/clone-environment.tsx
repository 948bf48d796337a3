import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { projectsQuery } from '../api/queries.ts';
import { ChoiceList } from '../ui/choice-list.tsx';
import { CheckField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { NameField } from './name-field.tsx';
import { TypeField } from './type-field.tsx';

/** Makes an environment whose flags are as in another one. */
export function CloneEnvironment({ source, onClose }: { source: string; onClose: () => void }) {
  const queries = useQueryClient();
  const { data } = useQuery(projectsQuery);
  const [body, setBody] = useState({ name: `${source}-copy`, type: 'development', projects: ['*'] });
  const clone = useMutation({
    mutationFn: () =>
      write(() => api.POST('/api/admin/environments/{name}/clone', { params: { path: { name: source } }, body })),
    async onSuccess({ name }) {
      await queries.invalidateQueries();
      sayDone(`The environment ${name} was made from ${source}.`);
      onClose();
    },
  });
  const isEvery = body.projects.includes('*');
  return (
    <FormDialog
      title={`Clone ${source}`}
      submit="Clone"
      mutation={clone}
      names={['name', 'type', 'projects']}
      onClose={onClose}
    >
      <p>Flags get the switches, strategies and variants that they have in {source}. Permissions are not copied.</p>
      <NameField value={body.name} error={clone.error} onChange={(name) => setBody({ ...body, name })} />
      <TypeField
        value={body.type}
        error={fieldError(clone.error, 'type')}
        onChange={(type) => setBody({ ...body, type })}
      />
      <CheckField
        label={`Every project that has ${source} gets it`}
        checked={isEvery}
        onChange={(event) => setBody({ ...body, projects: event.target.checked ? ['*'] : [] })}
      />
      {!isEvery && (
        <ChoiceList
          label="Projects that get it"
          choices={(data?.projects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          chosen={body.projects}
          error={fieldError(clone.error, 'projects')}
          onChange={(projects) => setBody({ ...body, projects })}
        />
      )}
    </FormDialog>
  );
}
