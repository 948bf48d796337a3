import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { environmentsQuery, projectsQuery } from '../../api/queries.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { type Expiry, expiresAt } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';
import { ProjectsField } from './projects-field.tsx';
import { markOf } from './token-mark.ts';

const meanings = {
  client: 'For servers. It reads all flags of its projects with their strategies.',
  frontend: 'For browsers and apps. It reads only which flags are on, and is no secret.',
  admin: 'For programs that administer. It may do everything; a service account may have less.',
} as const;

type Type = keyof typeof meanings;

/** A button that opens the form of a new token. */
export function NewApiToken() {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  return (
    <>
      <Button
        look="primary"
        onClick={() => setOpen(true)}
        offBecause={missing('CREATE_CLIENT_API_TOKEN') && missing('CREATE_FRONTEND_API_TOKEN')}
      >
        New API token
      </Button>
      {isOpen && <NewApiTokenForm onClose={() => setOpen(false)} />}
    </>
  );
}

function NewApiTokenForm({ onClose }: { onClose: () => void }) {
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const readAgain = useReadAgain('tokens');
  const [name, setName] = useState('');
  const [type, setType] = useState<Type>('client');
  const [chosenEnvironment, setEnvironment] = useState<string>();
  const [chosen, setChosen] = useState<readonly string[]>(['*']);
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'never', date: '' });
  const environment = chosenEnvironment ?? environments[0]?.name ?? 'development';
  const make = useMutation({
    mutationFn: () => {
      const common = { type, tokenName: name, expiresAt: expiresAt(expiry) };
      const body = type === 'admin' ? common : { ...common, environment, projects: [...chosen] };
      return write(() => api.POST('/api/admin/api-tokens', { body }));
    },
    onSuccess: () => readAgain(),
    gcTime: 0,
  });
  if (make.data !== undefined) {
    return (
      <SecretDialog
        title={`Token ${isolated(make.data.tokenName)}`}
        what="token"
        secret={make.data.secret}
        onClose={onClose}
      >
        <strong>Copy the token now.</strong> The list of tokens shows only that it {markOf(make.data)}
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="New API token"
      submit="Make token"
      mutation={make}
      names={['tokenName', 'type', 'environment', 'projects', 'expiresAt']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        hint="What uses it, such as checkout service"
        error={fieldError(make.error, 'tokenName')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Type"
        hint={meanings[type]}
        error={fieldError(make.error, 'type')}
        value={type}
        onChange={(event) => setType(event.target.value as Type)}
      >
        {Object.keys(meanings).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      {type !== 'admin' && (
        <>
          <SelectField
            label="Environment"
            error={fieldError(make.error, 'environment')}
            value={environment}
            onChange={(event) => setEnvironment(event.target.value)}
          >
            {environments.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </SelectField>
          <ProjectsField
            projects={projects}
            chosen={chosen}
            error={fieldError(make.error, 'projects')}
            onChange={setChosen}
          />
        </>
      )}
      <ExpiryField expiry={expiry} onChange={setExpiry} mayBeNever error={fieldError(make.error, 'expiresAt')} />
    </FormDialog>
  );
}
