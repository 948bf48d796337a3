import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { contextFieldUsesQuery } from '../api/configuration-queries.ts';
import { contextFieldsQuery } from '../api/queries.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Edited } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { ContextFieldForm } from './context-field-form.tsx';
import { deleteContextField, listOf, settingsOf } from './context-field-requests.ts';
import { useMissingForContextFields } from './use-missing-for-context-fields.ts';

const route = getRouteApi('/context-fields/$contextField');
const routeOfProject = getRouteApi('/projects/$projectId/context/$contextField');
const routeOfNew = getRouteApi('/projects/$projectId/new-context-field');

export function NewContextFieldPage() {
  return <NewField projectId={null} />;
}

export function NewProjectContextFieldPage() {
  return <NewField projectId={routeOfNew.useParams().projectId} />;
}

/** Edits a context field of all projects. */
export function ContextFieldPage() {
  return <EditedField projectId={null} name={route.useParams().contextField} />;
}

/** Edits a context field that one project alone can use. */
export function ProjectContextFieldPage() {
  const { projectId, contextField } = routeOfProject.useParams();
  return <EditedField projectId={projectId} name={contextField} />;
}

/** A link to the list that the field is in. */
function Above({ projectId }: { projectId: string | null }) {
  return <Link {...listOf(projectId)}>{projectId === null ? 'Context fields' : `Context fields of ${projectId}`}</Link>;
}

function NewField({ projectId }: { projectId: string | null }) {
  return (
    <>
      <PageHead title="New context field" above={<Above projectId={projectId} />} />
      <ContextFieldForm
        isNew
        projectId={projectId}
        initial={{ name: '', description: null, stickiness: false, sortOrder: 10, legalValues: [] }}
      />
    </>
  );
}

function EditedField({ projectId, name }: { projectId: string | null; name: string }) {
  const queries = useQueryClient();
  const query = useQuery(contextFieldsQuery(projectId));
  const find = (fields: Schemas['contextFieldSchema'][] = []) =>
    fields.find((field) => field.name === name && (field.project ?? null) === projectId);
  return (
    <Shown query={query}>
      {(fields) => {
        const field = find(fields);
        if (field === undefined) return <Empty title="There is no such context field" />;
        return (
          <>
            <PageHead title={name} above={<Above projectId={projectId} />}>
              <DeleteContextField projectId={projectId} name={name} />
            </PageHead>
            <Edited
              key={`${projectId} ${name}`}
              what="this context field"
              now={field}
              read={() => find(queries.getQueryData(contextFieldsQuery(projectId).queryKey))}
              settingsOf={settingsOf}
            >
              {(before, onSaved) => (
                <ContextFieldForm isNew={false} {...{ projectId, onSaved }} initial={settingsOf(before)} />
              )}
            </Edited>
          </>
        );
      }}
    </Shown>
  );
}

function DeleteContextField({ projectId, name }: { projectId: string | null; name: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissingForContextFields()('DELETE_CONTEXT_FIELD', projectId);
  const { data: uses = [] } = useQuery(contextFieldUsesQuery(projectId, name));
  return (
    <DeleteButton
      what={`the context field ${name}`}
      offBecause={missing ?? (uses.length > 0 ? 'Strategies use it. Take it out of them first.' : null)}
      send={() => deleteContextField(projectId, name)}
      onDone={() => {
        sayDone(`The context field ${name} was deleted.`);
        void navigate({ ...listOf(projectId), ignoreBlocker: true });
        void queries.invalidateQueries({ queryKey: ['context-fields'] });
      }}
    >
      It is no longer offered for constraints. SDKs can still send it.
    </DeleteButton>
  );
}
