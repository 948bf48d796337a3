import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { contextFieldUsesQuery } from '../api/configuration-queries.ts';
import { errorAt, errorBeside, nameTaken } from '../api/problem.ts';
import { useMissing } from '../app/session.ts';
import { isSame } from '../save/same.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextAreaField, TextField } from '../ui/field.tsx';
import { FormPage } from '../ui/form-page.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { Failed } from '../ui/shown.tsx';
import { StrategyUses } from '../ui/strategy-uses.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { LegalValuesField } from './legal-values-field.tsx';

export type ContextFieldSettings = Pick<
  Schemas['contextFieldSchema'],
  'name' | 'description' | 'stickiness' | 'sortOrder' | 'legalValues'
>;

/** What a person edits of a context field. */
export function settingsOf(field: ContextFieldSettings): ContextFieldSettings {
  const { name, description, stickiness, sortOrder, legalValues } = field;
  return { name, description, stickiness, sortOrder, legalValues };
}

interface Props {
  isNew: boolean;
  initial: ContextFieldSettings;
  onSaved?: () => void;
}

export function ContextFieldForm({ isNew, initial, onSaved }: Props) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissing()(isNew ? 'CREATE_CONTEXT_FIELD' : 'UPDATE_CONTEXT_FIELD');
  const uses = useQuery({ ...contextFieldUsesQuery(initial.name), enabled: !isNew });
  const [draft, setDraft] = useState(initial);
  const settings = { ...draft, description: draft.description?.trim() || null };
  const save = useMutation({
    async mutationFn({ name, ...body }: ContextFieldSettings) {
      if (isNew) await write(() => api.POST('/api/admin/context', { body: { name, ...body } }));
      else {
        const params = { path: { contextField: name } };
        await write(() => api.PUT('/api/admin/context/{contextField}', { params, body }));
      }
    },
    async onSuccess(_answer, saved) {
      await queries.invalidateQueries({ queryKey: ['context-fields'] });
      sayDone(`The context field ${saved.name} was ${isNew ? 'made' : 'saved'}.`);
      if (isNew) await navigate({ to: '/context-fields', ignoreBlocker: true });
      else onSaved?.();
    },
  });
  const { error } = save;
  const taken = nameTaken(error);
  const rest = taken !== undefined ? null : errorBeside(error, ['name', 'description', 'stickiness']);
  const set = (change: Partial<ContextFieldSettings>) => {
    setDraft({ ...draft, ...change });
    save.reset();
  };
  return (
    <FormPage
      onSubmit={() => save.mutate(settings)}
      said={rest !== null && <Failed error={rest} />}
      buttons={
        <>
          <Button onClick={() => void navigate({ to: '/context-fields' })}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending} offBecause={missing}>
            {isNew ? 'Make context field' : 'Save'}
          </Button>
        </>
      }
    >
      <LeaveGuard isDirty={!save.isPending && !save.isSuccess && !isSame(settings, initial)} />
      <Section title="Name and use">
        {isNew && (
          <TextField
            label="Name"
            required
            maxLength={100}
            autoCapitalize="none"
            spellCheck={false}
            hint="As SDKs send it: letters, digits and -_.~. It cannot be changed later."
            error={taken ?? errorAt(error, 'name')}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
        <TextAreaField
          label="Description"
          error={errorAt(error, 'description')}
          value={draft.description ?? ''}
          onChange={(event) => set({ description: event.target.value })}
        />
        <CheckField
          label="A rollout can keep users by this field (stickiness)"
          checked={draft.stickiness}
          onChange={(event) => set({ stickiness: event.target.checked })}
        />
      </Section>
      <Section title="Legal values" hint="With any, constraints offer only these.">
        <LegalValuesField values={draft.legalValues} onChange={(legalValues) => set({ legalValues })} />
      </Section>
      {!isNew && (
        <Section title="Used by">
          <StrategyUses query={uses} />
        </Section>
      )}
    </FormPage>
  );
}
