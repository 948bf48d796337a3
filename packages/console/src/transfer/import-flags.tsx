import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { countOf } from '../ui/counts.ts';
import { Field, SelectField, TextAreaField } from '../ui/field.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { countOfImported, Findings } from './findings.tsx';
import { parseExport } from './parse-export.ts';

interface Props {
  projectId: string;
  environments: string[];
}

/** Reads an export into the project. What it would do is shown before it is run. */
export function ImportFlags({ projectId, environments }: Props) {
  const queries = useQueryClient();
  const [environment, setEnvironment] = useState(environments[0] ?? '');
  const [text, setText] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  /** Counts the imports. Each has an input of its own, because an input keeps the file that was chosen. */
  const [imports, setImports] = useState(0);
  const parsed = text.trim() === '' ? null : parseExport(text);
  const data = typeof parsed === 'string' ? null : parsed;
  const body = { project: projectId, environment, data: data ?? { features: [] } };
  const check = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/features-batch/validate', { body })),
  });
  const found = check.data;
  const count = found === undefined ? 0 : countOfImported(body.data.features.length, found);
  const importedFlags = countOf(count, 'flag');
  const run = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/features-batch/import', { body })),
    async onSuccess() {
      await queries.invalidateQueries();
      sayDone(`${importedFlags} imported into ${projectId}.`);
      setImports(imports + 1);
      change(() => setText(''));
    },
  });
  const change = (set: () => void) => {
    set();
    setIsAsked(false);
    check.reset();
    run.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsAsked(true);
    if (data !== null) check.mutate();
  };
  const isRefused = found !== undefined && found.errors.length + found.permissions.length > 0;
  return (
    <form onSubmit={submit}>
      <LeaveGuard isDirty={text !== ''} />
      <Section title="Import" hint="Flags that the project has already get the state of the file.">
        <SelectField
          label="Environment to import into"
          value={environment}
          onChange={(event) => change(() => setEnvironment(event.target.value))}
        >
          {environments.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <Field
          label="File"
          control={(described) => (
            <input
              key={imports}
              type="file"
              accept="application/json,.json"
              {...described}
              onChange={async ({ target: { files } }) => {
                const chosen = await files?.[0]?.text();
                if (chosen !== undefined) change(() => setText(chosen));
              }}
            />
          )}
        />
        <TextAreaField
          label="Or its text"
          rows={6}
          spellCheck={false}
          error={
            typeof parsed === 'string'
              ? parsed
              : isAsked && data === null
                ? 'Choose a file, or paste its text.'
                : undefined
          }
          value={text}
          onChange={(event) => change(() => setText(event.target.value))}
        />
        {check.error !== null && <Failed error={check.error} />}
        {found !== undefined && <Findings found={found} count={count} />}
        {run.error !== null && <Failed error={run.error} />}
        <div>
          {found === undefined || isRefused ? (
            <SubmitButton mutation={check}>Check</SubmitButton>
          ) : (
            <SubmitButton mutation={run} onClick={() => run.mutate()}>
              Import {importedFlags}
            </SubmitButton>
          )}
        </div>
      </Section>
    </form>
  );
}
