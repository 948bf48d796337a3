import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { projectsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import styles from './welcome-page.module.css';

const proposedName = 'new-checkout';

interface Props {
  /** The project that the address names. */
  project: string | undefined;
  onMade: (flag: { project: string; flag: string }) => void;
}

/** The form of the first flag. Only its name is asked for. */
export function MakeFlag({ project, onMade }: Props) {
  const queries = useQueryClient();
  const missing = useMissing();
  const { data } = useQuery(projectsQuery);
  const projects = data?.projects ?? [];
  const [chosen, setChosen] = useState(project);
  const [name, setName] = useState(proposedName);
  const projectId = chosen ?? projects.find(({ id }) => id === 'default')?.id ?? projects[0]?.id ?? 'default';
  const create = useMutation({
    mutationFn: () =>
      write(() =>
        api.POST('/api/admin/projects/{projectId}/features', {
          params: { path: { projectId } },
          body: { name, type: 'release', description: '', impressionData: false },
        }),
      ),
    async onSuccess(made) {
      await queries.invalidateQueries({ queryKey: ['features'] });
      onMade({ project: projectId, flag: made.name });
    },
  });
  const refused = create.error instanceof Problem ? create.error : null;
  const nameError =
    refused?.kind === 'conflict' ? refused.message : refused?.details.find(({ path }) => path === 'name')?.message;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.fields}>
        <TextField
          label="Name of the flag"
          required
          maxLength={100}
          autoCapitalize="none"
          spellCheck={false}
          error={nameError}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {projects.length > 1 && (
          <SelectField label="Project" value={projectId} onChange={(event) => setChosen(event.target.value)}>
            {projects.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </SelectField>
        )}
        <SubmitButton mutation={create} offBecause={missing('CREATE_FEATURE', projectId)}>
          Make flag
        </SubmitButton>
      </div>
      {create.error !== null && nameError === undefined && <Failed error={create.error} />}
    </form>
  );
}
