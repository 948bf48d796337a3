import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { linkOptions, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { segmentUsesQuery } from '../api/configuration-queries.ts';
import { errorAt, errorsOf } from '../api/property-errors.ts';
import { projectsQuery, segmentsQuery } from '../api/queries.ts';
import { ConstraintsField } from '../flag/strategy/constraints-field.tsx';
import { keyed } from '../flag/strategy/draft.ts';
import { isSame } from '../save/same.ts';
import { Button } from '../ui/button.tsx';
import { isolated } from '../ui/direction.ts';
import { SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { FormPage } from '../ui/form-page.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { Failed } from '../ui/shown.tsx';
import { StrategyUses } from '../ui/strategy-uses.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { SegmentReview } from './segment-review.tsx';
import { useMissingForSegments } from './use-missing-for-segments.ts';

export type SegmentSettings = Pick<Schemas['adminSegmentSchema'], 'name' | 'description' | 'project' | 'constraints'>;

/** What a person edits of a segment. */
export function settingsOf({ name, description, project, constraints }: SegmentSettings): SegmentSettings {
  return { name, description, project, constraints };
}

interface Props {
  /** Null for a new one. */
  id: number | null;
  initial: SegmentSettings;
  onSaved?: () => void;
}

export function SegmentForm({ id, initial, onSaved }: Props) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissingForSegments();
  // A new segment of a project is made from the list of the project.
  const toList =
    id === null && initial.project !== null
      ? linkOptions({ to: '/projects/$projectId/segments', params: { projectId: initial.project } })
      : linkOptions({ to: '/segments' });
  const { data } = useQuery(projectsQuery);
  const uses = useQuery({ ...segmentUsesQuery(id ?? 0), enabled: id !== null });
  const [draft, setDraft] = useState(() => ({ ...initial, constraints: initial.constraints.map(keyed) }));
  const [isReviewed, setReviewed] = useState(false);
  const settings: SegmentSettings = {
    ...draft,
    description: draft.description?.trim() || null,
    constraints: draft.constraints.map(({ key: _key, ...constraint }) => constraint),
  };
  const save = useMutation({
    mutationFn: async (body: SegmentSettings) => {
      if (id === null) return (await write(() => api.POST('/api/admin/segments', { body }))).id;
      await write(() => api.PUT('/api/admin/segments/{id}', { params: { path: { id: `${id}` } }, body }));
      return id;
    },
    async onSuccess(_id, saved) {
      await queries.invalidateQueries({ queryKey: segmentsQuery.queryKey });
      sayDone(`The segment ${isolated(saved.name)} was ${id === null ? 'made' : 'saved'}.`);
      if (id === null) await navigate({ ...toList, ignoreBlocker: true });
      else onSaved?.();
    },
    onSettled: () => setReviewed(false),
  });
  const errors = errorsOf(save.error);
  const isSaid = Object.keys(errors).length > 0;
  const set = (change: Partial<typeof draft>) => {
    setDraft({ ...draft, ...change });
    save.reset();
  };
  const offBecause =
    missing(id === null ? 'CREATE_SEGMENT' : 'UPDATE_SEGMENT', initial.project) ??
    missing(id === null ? 'CREATE_SEGMENT' : 'UPDATE_SEGMENT', draft.project);
  const isUnused = id === null || (uses.isSuccess && uses.data.length === 0);
  const changesFlags = !isUnused && !isSame(settings.constraints, initial.constraints);

  return (
    <FormPage
      onSubmit={() => (changesFlags ? setReviewed(true) : save.mutate(settings))}
      refused={isSaid && `Not saved: ${Object.values(errors)[0]}`}
      said={
        save.error !== null ? (
          <Failed error={save.error} />
        ) : (
          settings.constraints.length === 0 && <p>Without a constraint, everybody is in the segment.</p>
        )
      }
      buttons={
        <>
          <Button onClick={() => void navigate(toList)}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending} offBecause={offBecause}>
            {id === null ? 'Make segment' : changesFlags ? 'Review and save' : 'Save'}
          </Button>
        </>
      }
    >
      <LeaveGuard isDirty={!save.isPending && !save.isSuccess && !isSame(settings, initial)} />
      <Section title="Name and use">
        <TextField
          label="Name"
          required
          maxLength={100}
          error={errorAt(errors, '.name')}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TextAreaField
          label="Description"
          error={errorAt(errors, '.description')}
          value={draft.description ?? ''}
          onChange={(event) => set({ description: event.target.value })}
        />
        <SelectField
          label="Project"
          hint="A segment of one project can use the context fields of this project, and no other project can use it."
          error={errorAt(errors, '.project')}
          value={draft.project ?? ''}
          onChange={(event) => set({ project: event.target.value || null })}
        >
          <option value="">All projects</option>
          {data?.projects.map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
        </SelectField>
      </Section>
      <Section title="Who is in it" hint="All of these must hold.">
        <ConstraintsField
          {...{ errors }}
          project={draft.project}
          constraints={draft.constraints}
          onChange={(constraints) => set({ constraints })}
        />
      </Section>
      {id !== null && (
        <Section title="Used by">
          <StrategyUses query={uses} />
        </Section>
      )}
      {isReviewed && (
        <SegmentReview
          name={initial.name}
          before={initial.constraints}
          after={settings.constraints}
          uses={uses}
          isBusy={save.isPending}
          onApply={() => save.mutate(settings)}
          onClose={() => setReviewed(false)}
        />
      )}
    </FormPage>
  );
}
