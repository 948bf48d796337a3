import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Errors, errorAt, errorsOf } from '../api/property-errors.ts';
import { environmentsQuery, projectsQuery } from '../api/queries.ts';
import { type Missing, useMissing } from '../app/session.ts';
import { isSame } from '../save/same.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextField } from '../ui/field.tsx';
import { FormPage } from '../ui/form-page.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { type Draft, type Integration, mask, type Provider, secretsToRepeat } from './draft.ts';
import { EventsField } from './events-field.tsx';
import { ParameterField } from './parameter-field.tsx';
import { PlacesField } from './places-field.tsx';
import { useSaveIntegration } from './use-save-integration.ts';

interface Props {
  provider: Provider;
  /** Whether it is on has a switch of its own. A new integration is not stored. */
  stored?: Integration;
  initial: Draft;
  missing: Missing;
  onSaved: (integration: Integration) => void;
  onCancel: () => void;
}

/** The form of an integration. Its parameters are those of the provider's definition. */
export function IntegrationForm({ provider, stored, initial, missing, onSaved, onCancel }: Props) {
  const [draft, setDraft] = useState(initial);
  const missingOf = useMissing();
  const projects = useQuery(projectsQuery);
  const environments = useQuery(environmentsQuery);
  const save = useSaveIntegration(provider.name, stored?.id);
  const errors = errorsOf(save.error);
  const isElsewhere = save.error !== null && Object.keys(errors).length === 0;
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const submit = () => save.mutate({ ...draft, enabled: stored?.enabled ?? draft.enabled }, { onSuccess: onSaved });

  return (
    <FormPage
      label={`Settings of ${provider.displayName}`}
      onSubmit={() => missing === null && submit()}
      said={isElsewhere && <Failed error={save.error as Error} />}
      refused={!isElsewhere && save.error !== null && 'Not saved. The fields say why.'}
      buttons={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          {missing === null ? (
            <SubmitButton mutation={save}>{stored === undefined ? 'Make integration' : 'Save'}</SubmitButton>
          ) : (
            <Button look="primary" offBecause={missing}>
              Save
            </Button>
          )}
        </>
      }
    >
      <LeaveGuard isDirty={!save.isPending && !save.isSuccess && !isSame(draft, initial)} />
      <Section title="About">
        <TextField
          label="Description (optional)"
          hint="What it is for. The list of integrations shows it."
          error={errorAt(errors, '.description')}
          value={draft.description ?? ''}
          onChange={(event) => set({ description: event.target.value })}
        />
        {stored === undefined && (
          <CheckField
            label="On: events are sent"
            checked={draft.enabled}
            onChange={(event) => set({ enabled: event.target.checked })}
          />
        )}
      </Section>
      <Section title="Where to" hint={provider.description}>
        <Parameters {...{ provider, initial, draft, errors }} onChange={(parameters) => set({ parameters })} />
      </Section>
      <Section title="Which events">
        <EventsField
          suggested={provider.events}
          chosen={draft.events}
          missingForPeople={missingOf('READ_LOGS')}
          error={errorAt(errors, '.events')}
          onChange={(events) => set({ events })}
        />
      </Section>
      <Section title="Of what" hint="An event without a project or an environment is sent in any case.">
        <PlacesField
          noun="projects"
          places={projects.data?.projects ?? []}
          chosen={draft.projects}
          error={errorAt(errors, '.projects')}
          onChange={(chosen) => set({ projects: chosen })}
        />
        <PlacesField
          noun="environments"
          places={(environments.data?.environments ?? []).map(({ name }) => ({ id: name, name }))}
          chosen={draft.environments}
          error={errorAt(errors, '.environments')}
          onChange={(chosen) => set({ environments: chosen })}
        />
      </Section>
    </FormPage>
  );
}

interface ParametersProps {
  provider: Provider;
  initial: Draft;
  draft: Draft;
  errors: Errors;
  onChange: (parameters: Draft['parameters']) => void;
}

function Parameters({ provider, initial, draft, errors, onChange }: ParametersProps) {
  const toRepeat = secretsToRepeat(provider, initial, draft);
  return provider.parameters.map((parameter) => {
    const { name } = parameter;
    const again = toRepeat.includes(name)
      ? 'Enter it again. A secret that was given for one destination is not sent to another.'
      : undefined;
    return (
      <ParameterField
        key={name}
        parameter={parameter}
        value={draft.parameters[name] ?? ''}
        isStored={initial.parameters[name] === mask}
        error={errorAt(errors, `.parameters.${name}`) ?? again}
        onChange={(value) => onChange({ ...draft.parameters, [name]: value })}
      />
    );
  });
}
