import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { contextFieldUsesQuery } from '../api/configuration-queries.ts';
import { errorBeside, fieldError } from '../api/property-errors.ts';
import { isSame } from '../save/same.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextAreaField, TextField } from '../ui/field.tsx';
import { FormPage } from '../ui/form-page.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import { StrategyUses } from '../ui/strategy-uses.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { type ContextFieldSettings, createContextField, listOf, updateContextField } from './context-field-requests.ts';
import { LegalValuesField } from './legal-values-field.tsx';
import { useMissingForContextFields } from './use-missing-for-context-fields.ts';

interface Props {
  /** Which project alone can use it; null for all. */
  projectId: string | null;
  isNew: boolean;
  initial: ContextFieldSettings;
  onSaved?: () => void;
}

export function ContextFieldForm({ projectId, isNew, initial, onSaved }: Props) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissingForContextFields()(isNew ? 'CREATE_CONTEXT_FIELD' : 'UPDATE_CONTEXT_FIELD', projectId);
  const uses = useQuery({ ...contextFieldUsesQuery(projectId, initial.name), enabled: !isNew });
  const [draft, setDraft] = useState(initial);
  const settings = { ...draft, description: draft.description?.trim() || null };
  const save = useMutation({
    mutationFn: (field: ContextFieldSettings) =>
      isNew ? createContextField(projectId, field) : updateContextField(projectId, field),
    async onSuccess(_answer, saved) {
      await queries.invalidateQueries({ queryKey: ['context-fields'] });
      sayDone(`The context field ${saved.name} was ${isNew ? 'made' : 'saved'}.`);
      if (isNew) await navigate({ ...listOf(projectId), ignoreBlocker: true });
      else onSaved?.();
    },
  });
  const { error } = save;
  const rest = errorBeside(error, ['name', 'description', 'stickiness']);
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
          <Button onClick={() => void navigate(listOf(projectId))}>Cancel</Button>
          <SubmitButton mutation={save} offBecause={missing}>
            {isNew ? 'Make context field' : 'Save'}
          </SubmitButton>
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
            error={fieldError(error, 'name')}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
        <TextAreaField
          label="Description"
          error={fieldError(error, 'description')}
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
