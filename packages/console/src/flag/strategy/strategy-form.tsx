import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { Schemas } from '../../api/client.ts';
import { type Errors, errorAt, errorsOf, withoutErrorsOf } from '../../api/property-errors.ts';
import { segmentsQuery, strategyTypesQuery } from '../../api/queries.ts';
import type { StrategySettings } from '../../save/change.ts';
import { isSame } from '../../save/same.ts';
import type { Outcome } from '../../save/save-now.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/shown.tsx';
import { inWords, segmentNamesIn } from '../strategy-words.ts';
import { ConstraintsField } from './constraints-field.tsx';
import { asDefault, type Draft, fromDraft, parametersFor, toDraft } from './draft.ts';
import { ParametersField } from './parameters-field.tsx';
import { SegmentsField } from './segments-field.tsx';
import styles from './strategy-form.module.css';
import { TypeField } from './type-field.tsx';
import { VariantsField } from './variants-field.tsx';

interface Props {
  project: string;
  /** Null for the default strategy of a project, which has one type and is always in use. */
  feature: string | null;
  initial: StrategySettings;
  /** What its button says. */
  submit: string;
  offBecause: string | null;
  onSave: (strategy: StrategySettings) => Promise<Outcome>;
  onCancel: () => void;
}

/** A strategy that is added or edited. What is typed stays until it is saved or left. */
export function StrategyForm({ project, feature, initial, submit, offBecause, onSave, onCancel }: Props) {
  const types = useQuery(strategyTypesQuery);
  const segments = useQuery(segmentsQuery);
  const [draft, setDraft] = useState<Draft>(() => toDraft(initial));
  const [errors, setErrors] = useState<Errors>({});
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => {
    setDraft({ ...draft, ...change });
    setErrors(withoutErrorsOf(errors, Object.keys(change)));
  };
  const typeIn = (strategies: Schemas['strategySchema'][] = []) => {
    const found = strategies.find(({ name }) => name === draft.name);
    return found && feature === null ? asDefault(found) : found;
  };
  const strategy = fromDraft(draft);
  const names = segmentNamesIn(segments.data);

  const onSubmit = async (form: HTMLFormElement) => {
    if (isBusy || offBecause !== null) return;
    setBusy(true);
    // Without this part of the console the server alone checks.
    const check = await import('./check-strategy.ts').catch(() => null);
    const type = typeIn(types.data?.strategies);
    let found = check?.checkStrategy(strategy, type?.parameters) ?? {};
    if (Object.keys(found).length === 0) {
      const outcome = await onSave(strategy);
      if (outcome instanceof Error) found = errorsOf(outcome);
    }
    // The first refused control gets the focus, which needs its mark to be on the page.
    flushSync(() => setErrors(found));
    setBusy(false);
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  const count = Object.keys(errors).length;
  return (
    <FormPage
      onSubmit={(form) => void onSubmit(form)}
      checksItself
      said={
        <p>
          On for <strong>{inWords(strategy, names)}</strong>
        </p>
      }
      refused={
        count > 0 &&
        `${count === 1 ? 'One value is refused' : `${count} values are refused`}: ${Object.values(errors)[0]}`
      }
      buttons={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={isBusy} offBecause={offBecause}>
            {submit}
          </Button>
        </>
      }
    >
      <LeaveGuard isDirty={!isSame(strategy, fromDraft(toDraft(initial)))} />
      <Section title="For whom">
        <Shown query={types}>
          {({ strategies }) => {
            const type = typeIn(strategies);
            return (
              <>
                {feature !== null && (
                  <TypeField
                    types={strategies}
                    name={draft.name}
                    onChange={(chosen) =>
                      set({ name: chosen.name, parameters: parametersFor(chosen, draft.parameters, feature) })
                    }
                  />
                )}
                {type !== undefined && (
                  <div className={styles.parameters}>
                    <ParametersField
                      {...{ type, errors, project }}
                      parameters={draft.parameters}
                      onChange={(parameters) => set({ parameters })}
                    />
                  </div>
                )}
              </>
            );
          }}
        </Shown>
      </Section>
      <Section title="Constraints" hint="All of them must hold.">
        <ConstraintsField
          {...{ project, errors }}
          constraints={draft.constraints}
          onChange={(constraints) => set({ constraints })}
        />
      </Section>
      <Section title="Segments" hint="A user must be in all of them.">
        <SegmentsField
          {...{ project, errors }}
          segments={draft.segments}
          onChange={(changed) => set({ segments: changed })}
        />
      </Section>
      <Section title="Variants" hint="What users get for whom this strategy is on.">
        <VariantsField
          {...{ project, errors }}
          stickiness={draft.parameters.stickiness || 'default'}
          variants={draft.variants}
          onChange={(variants) => set({ variants })}
        />
      </Section>
      <Section title={feature === null ? 'Name' : 'Name and use'}>
        <TextField
          label="Title"
          hint="What it is for. It can be empty."
          maxLength={255}
          error={errorAt(errors, '.title')}
          value={draft.title ?? ''}
          onChange={(event) => set({ title: event.target.value })}
        />
        {feature !== null && (
          <CheckField
            label="In use. SDKs do not see a strategy that is not."
            checked={!draft.disabled}
            onChange={(event) => set({ disabled: !event.target.checked })}
          />
        )}
      </Section>
    </FormPage>
  );
}
