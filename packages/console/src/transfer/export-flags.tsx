import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { errorBeside, fieldError } from '../api/property-errors.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Section } from '../ui/section.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';

interface Props {
  projectId: string;
  environments: string[];
}

/** A file of the project's flags with their state in an environment. */
export function ExportFlags({ projectId, environments }: Props) {
  const [environment, setEnvironment] = useState(environments[0] ?? '');
  const [tag, setTag] = useState('');
  const run = useMutation({
    mutationFn: () => {
      const which = tag === '' ? { project: projectId } : { tag, project: projectId };
      return write(() => api.POST('/api/admin/features-batch/export', { body: { environment, ...which } }));
    },
    onSuccess(found) {
      saveFile(`${projectId}-${environment}.json`, 'application/json', JSON.stringify(found, null, 2));
      sayDone(`The export has ${found.features.length === 1 ? 'one flag' : `${found.features.length} flags`}.`);
    },
  });
  const rest = errorBeside(run.error, ['environment', 'tag']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Section title="Export" hint="A file with flags, strategies, variants, tags, and the names of segments.">
        <SelectField
          label="Environment to export"
          error={fieldError(run.error, 'environment')}
          value={environment}
          onChange={(event) => setEnvironment(event.target.value)}
        >
          {environments.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <TextField
          label="Only flags with the tag"
          placeholder="team:payments"
          hint="Its value, or its type and value. Empty: every flag of the project."
          error={fieldError(run.error, 'tag')}
          value={tag}
          onChange={(event) => setTag(event.target.value.trim())}
        />
        {rest !== null && <Failed error={rest} />}
        <div>
          <SubmitButton mutation={run}>Export as a file</SubmitButton>
        </div>
      </Section>
    </form>
  );
}
