import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { signalsQuery } from '../../api/signal-queries.ts';
import { SelectField } from '../../ui/field.tsx';
import { SubmitButton } from '../../ui/send-again.tsx';
import { Failed } from '../../ui/shown.tsx';
import { relativeTime } from '../../ui/time.tsx';
import { JsonText } from '../json-text.tsx';
import styles from './action-set.module.css';
import { bodyOf, type Definitions, type Draft } from './draft.ts';
import { DryRunResult } from './dry-run-result.tsx';

const route = getRouteApi('/projects/$projectId/actions/$actionSetId');

interface Props {
  projectId: string;
  definitions: Definitions;
  draft: Draft;
}

/** What the set as it is typed would do with a stored signal. The service says it; nothing is changed. */
export function DryRun({ projectId, definitions, draft }: Props) {
  const { signal = '' } = route.useSearch();
  const [chosen, setChosen] = useState(signal);
  const { data } = useInfiniteQuery({
    ...signalsQuery({ sourceId: draft.sourceId }),
    enabled: draft.sourceId !== '',
  });
  const signals = data?.pages.flatMap((page) => page.signals) ?? [];
  const shown = signals.find(({ id }) => `${id}` === chosen);
  const test = useMutation({
    mutationFn: (tried: Draft) => {
      const body = { actionSet: bodyOf(tried, projectId, definitions), signalId: Number(chosen) };
      const params = { path: { projectId } };
      return answer(api.POST('/api/admin/projects/{projectId}/actions/test', { params, body }));
    },
  });
  // What another draft would do is not shown beside this one.
  const isOfDraft = test.variables === draft;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate(draft);
  };
  return (
    <section className={styles.part} aria-labelledby="dry-run">
      <h2 id="dry-run">Try it</h2>
      <p className={styles.quiet}>What the set would do as it is typed here. Nothing is changed.</p>
      <form className={styles.try} onSubmit={submit}>
        <SelectField
          label="Stored signal"
          required
          hint={draft.sourceId !== '' && signals.length === 0 ? 'The endpoint has no signal yet.' : undefined}
          value={chosen}
          onChange={(event) => {
            setChosen(event.target.value);
            test.reset();
          }}
        >
          <option value="">Choose a signal</option>
          {chosen !== '' && shown === undefined && <option value={chosen}>Signal {chosen}</option>}
          {signals.map(({ id, createdAt }) => (
            <option key={id} value={id}>
              {id}, {relativeTime(new Date(createdAt))}
            </option>
          ))}
        </SelectField>
        <SubmitButton mutation={test}>Try</SubmitButton>
      </form>
      {shown !== undefined && <JsonText label={`Payload of signal ${shown.id}`} value={shown.payload} />}
      <div role="status">
        {isOfDraft && test.data !== undefined && <DryRunResult result={test.data} definitions={definitions} />}
      </div>
      {isOfDraft && test.error !== null && <Failed error={test.error} />}
    </section>
  );
}
