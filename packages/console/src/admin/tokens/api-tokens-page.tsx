import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ApiToken, apiTokensQuery } from '../../api/admin-queries.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { SelectField } from '../../ui/field.tsx';
import { FilterRow } from '../../ui/filter-row.tsx';
import { narrowed } from '../../ui/narrowed.ts';
import { Rows } from '../../ui/rows.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { isNamed } from '../names.ts';
import { ApiTokenRow } from './api-token-row.tsx';
import { NewApiToken } from './new-api-token.tsx';
import type { TokenSearch } from './token-search.ts';

const route = getRouteApi('/admin/api');

/** The tokens of SDKs, and of programs that administer. */
export function ApiTokensPage() {
  const missing = useCannotRead()('/admin/api');
  const query = useQuery({ ...apiTokensQuery, enabled: missing === null });
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: TokenSearch) => void navigate(narrowed(search, changed));
  return (
    <AdminPage title="API tokens" missing={missing} actions={<NewApiToken />}>
      <div className={styles.stack}>
        <FilterRow>
          <SearchBox
            text={search.q ?? ''}
            placeholder="Name, environment or project"
            onChange={(q) => change({ ...search, q })}
          />
          <SelectField
            label="Type"
            value={search.type ?? ''}
            onChange={(event) => change({ ...search, type: event.target.value })}
          >
            <option value="">All</option>
            <option value="client">client</option>
            <option value="frontend">frontend</option>
            <option value="admin">admin</option>
          </SelectField>
        </FilterRow>
        <Shown query={query}>
          {(tokens) => <TokenRows tokens={tokens.filter((token) => isFound(token, search))} all={tokens.length} />}
        </Shown>
      </div>
    </AdminPage>
  );
}

function TokenRows({ tokens, all }: { tokens: ApiToken[]; all: number }) {
  if (tokens.length === 0) {
    return all === 0 ? (
      <Empty title="There is no API token yet">
        <p>An SDK needs one to read flags.</p>
      </Empty>
    ) : (
      <Empty title="No token is like this" />
    );
  }
  return (
    <Rows label="API tokens">
      {tokens.map((token) => (
        <ApiTokenRow key={token.secret} token={token} />
      ))}
    </Rows>
  );
}

function isFound({ tokenName, environment, projects, type }: ApiToken, search: TokenSearch): boolean {
  return (
    (search.type === undefined || search.type === type) && isNamed(search.q ?? '', tokenName, environment, ...projects)
  );
}
