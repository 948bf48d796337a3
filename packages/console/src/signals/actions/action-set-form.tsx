import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { permissionWords } from '../../api/permission-words.ts';
import { errorAt, errorsOf } from '../../api/property-errors.ts';
import { serviceAccountsQuery, signalEndpointsQuery } from '../../api/signal-queries.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { Section } from '../../ui/section.tsx';
import { SubmitButton } from '../../ui/send-again.tsx';
import styles from './action-set.module.css';
import { ActionsField } from './actions-field.tsx';
import { type Definitions, type Draft, repeatedParameter } from './draft.ts';
import { FiltersField } from './filters-field.tsx';

interface Props {
  projectId: string;
  definitions: Definitions;
  draft: Draft;
  save: Pick<UseMutationResult<unknown, Error, Draft>, 'error' | 'isPending' | 'mutate'>;
  onChange: (draft: Draft) => void;
}

/** What a set reacts to, what it does, and as whom. */
export function ActionSetForm({ projectId, definitions, draft, save, onChange }: Props) {
  const { data: endpoints } = useQuery(signalEndpointsQuery);
  const { data: accounts } = useQuery(serviceAccountsQuery);
  const navigate = useNavigate();
  const errors = errorsOf(save.error);
  const [refusal] = Object.values(errors);
  const repeated = repeatedParameter(draft.filters);
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const submit = (form: HTMLFormElement) => {
    const toRefused = () => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    if (repeated === null) save.mutate(draft, { onError: () => requestAnimationFrame(toRefused) });
    else toRefused();
  };
  const permissions = [...new Set(draft.actions.flatMap(({ action }) => definitions[action].permissions))];
  return (
    <FormPage
      onSubmit={submit}
      refused={refusal === undefined ? save.error?.message : `Not saved. A value is refused: ${refusal}`}
      buttons={
        <>
          <Button onClick={() => void navigate({ to: '/projects/$projectId/actions', params: { projectId } })}>
            Cancel
          </Button>
          <SubmitButton mutation={save}>Save action set</SubmitButton>
        </>
      }
    >
      <Section title="Purpose">
        <TextField
          label="Name"
          required
          maxLength={255}
          error={errorAt(errors, '.name')}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TextAreaField
          label="Description"
          rows={2}
          maxLength={1000}
          error={errorAt(errors, '.description')}
          value={draft.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Section>
      <Section title="When" hint="A signal of the endpoint for which all filters hold.">
        <div className={styles.pair}>
          <SelectField
            label="Signals of"
            required
            hint={endpoints?.length === 0 ? 'There is no endpoint yet.' : undefined}
            error={errorAt(errors, '.match.sourceId')}
            value={draft.sourceId}
            onChange={(event) => set({ sourceId: event.target.value })}
          >
            <option value="">Choose an endpoint</option>
            {endpoints?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            )) ?? presentChoice(draft.sourceId)}
          </SelectField>
          <TextField
            label="Cooldown in seconds"
            type="number"
            min={0}
            max={86_400}
            required
            hint="Further signals are ignored for so long after one that matched."
            error={errorAt(errors, '.cooldownSeconds')}
            value={draft.cooldownSeconds}
            onChange={(event) => set({ cooldownSeconds: event.target.value })}
          />
        </div>
        <FiltersField filters={draft.filters} {...{ errors, repeated }} onChange={(filters) => set({ filters })} />
      </Section>
      <Section title="Do" hint="In this order. After one that fails no further one is done.">
        <ActionsField
          {...{ projectId, definitions, errors }}
          actions={draft.actions}
          onChange={(actions) => set({ actions })}
        />
      </Section>
      <Section title="As">
        <SelectField
          label="Service account"
          required
          hint={
            accounts?.length === 0
              ? noAccount
              : `It needs ${new Intl.ListFormat('en').format(permissions.map(permissionWords))} in the project.`
          }
          error={errorAt(errors, '.actorId')}
          value={draft.actorId}
          onChange={(event) => set({ actorId: event.target.value })}
        >
          <option value="">Choose a service account</option>
          {accounts?.map(({ id, name, username }) => (
            <option key={id} value={id}>
              {name === username ? name : `${name} (${username})`}
            </option>
          )) ?? presentChoice(draft.actorId)}
        </SelectField>
      </Section>
    </FormPage>
  );
}

/** Until the list of choices is there. Without it the browser takes the field for empty, and does not send the form. */
const presentChoice = (id: string) => id !== '' && <option value={id}>{id}</option>;

const noAccount =
  'There is no service account yet. An administrator makes one under Admin, Service accounts. Use another tab, and this form stays.';
