import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, write } from '../api/client.ts';
import { projectQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { type SdkId, sdkIds, sdks } from '../sdks/snippets.ts';
import { SelectField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import styles from './welcome-page.module.css';

/** What the SDK is, and what it reads. */
export interface Choice {
  sdk: SdkId;
  environment: string;
}

interface Props {
  project: string;
  flag: string;
  choice: Choice;
  /** Whether there is a token for the choice. */
  hasToken: boolean;
  onChoose: (choice: Choice) => void;
  onMade: (token: { name: string; secret: string; environment: string }) => void;
}

/** Chooses SDK and environment, and makes the token. A token reads one project in one environment. */
export function MakeToken({ project, flag, choice, hasToken, onChoose, onMade }: Props) {
  const missing = useMissing();
  const { data } = useQuery(projectQuery(project));
  const { environment, sdk } = choice;
  const { tokenType } = sdks[sdk];
  const create = useMutation({
    mutationFn: () =>
      write(() =>
        api.POST('/api/admin/projects/{projectId}/api-tokens', {
          params: { path: { projectId: project } },
          body: { type: tokenType, environment, tokenName: `${flag}-${sdk}`.slice(0, 100) },
        }),
      ),
    onSuccess: ({ tokenName, secret }) => onMade({ name: tokenName, secret, environment }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const environments = data?.environments.map((each) => each.environment) ?? [environment];
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.fields}>
        <SelectField
          label="SDK"
          value={sdk}
          onChange={(event) => onChoose({ ...choice, sdk: event.target.value as SdkId })}
        >
          {sdkIds.map((id) => (
            <option key={id} value={id}>
              {sdks[id].label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Environment"
          value={environment}
          onChange={(event) => onChoose({ ...choice, environment: event.target.value })}
        >
          {environments.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SubmitButton
          look={hasToken ? 'plain' : 'primary'}
          mutation={create}
          offBecause={missing('CREATE_PROJECT_API_TOKEN', project)}
        >
          {hasToken ? 'Make another token' : 'Make token'}
        </SubmitButton>
      </div>
      <p className={styles.quiet}>
        {tokenType === 'client'
          ? 'The SDK gets a client token. It belongs on servers: it reads all flags of the project with their strategies.'
          : 'The SDK gets a frontend token. It may be in a page: it reads only which flags are on.'}
      </p>
      {create.error !== null && <Failed error={create.error} />}
    </form>
  );
}
