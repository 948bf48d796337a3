import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, type Schemas, write } from '../api/client.ts';
import { contextFieldUsesQuery } from '../api/configuration-queries.ts';
import { contextFieldsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { Edited } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { ContextFieldForm, settingsOf } from './context-field-form.tsx';

type ContextField = Schemas['contextFieldSchema'];

const above = <Link to="/context-fields">Context fields</Link>;

export function NewContextFieldPage() {
  return (
    <>
      <PageHead title="New context field" above={above} />
      <ContextFieldForm
        isNew
        initial={{ name: '', description: null, stickiness: false, sortOrder: 10, legalValues: [] }}
      />
    </>
  );
}

const route = getRouteApi('/context-fields/$contextField');

/** Edits a context field of all projects. */
export function ContextFieldPage() {
  const { contextField } = route.useParams();
  const query = useQuery(contextFieldsQuery(null));
  return (
    <Shown query={query}>
      {(fields) => {
        const field = fields.find(({ name }) => name === contextField);
        if (field === undefined) return <Empty title="There is no such context field" />;
        return (
          <>
            <PageHead title={field.name} above={above}>
              <DeleteContextField field={field} />
            </PageHead>
            <Editor key={field.name} field={field} />
          </>
        );
      }}
    </Shown>
  );
}

function Editor({ field }: { field: ContextField }) {
  const queries = useQueryClient();
  const read = () => queries.getQueryData(contextFieldsQuery(null).queryKey)?.find(({ name }) => name === field.name);
  return (
    <Edited what="this context field" now={field} read={read} settingsOf={settingsOf}>
      {(before, onSaved) => <ContextFieldForm isNew={false} initial={settingsOf(before)} onSaved={onSaved} />}
    </Edited>
  );
}

function DeleteContextField({ field: { name } }: { field: ContextField }) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const missing = useMissing()('DELETE_CONTEXT_FIELD');
  const { data: uses = [] } = useQuery(contextFieldUsesQuery(name));
  const params = { path: { contextField: name } };
  return (
    <DeleteButton
      what={`the context field ${name}`}
      offBecause={missing ?? (uses.length > 0 ? 'Strategies use it. Take it out of them first.' : null)}
      send={() => write(() => api.DELETE('/api/admin/context/{contextField}', { params }))}
      onDone={() => {
        sayDone(`The context field ${name} was deleted.`);
        void navigate({ to: '/context-fields', ignoreBlocker: true });
        void queries.invalidateQueries({ queryKey: ['context-fields'] });
      }}
    >
      It is no longer offered for constraints. SDKs can still send it.
    </DeleteButton>
  );
}
