import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { permissionsOfQuery } from '../../api/admin-queries.ts';
import { environmentsQuery, projectsQuery } from '../../api/queries.ts';
import { isolated } from '../../ui/direction.ts';
import { SelectField } from '../../ui/field.tsx';
import { FilterRow } from '../../ui/filter-row.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/shown.tsx';
import styles from './may-do.module.css';
import { PermissionName } from './permission-name.tsx';

const route = getRouteApi('/admin/access');

/** What somebody may do in the instance, in a project, and in an environment of it. */
export function MayDo({ id, name }: { id: number; name: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  const { project = 'default', environment = environments[0]?.name ?? 'development' } = search;
  const query = useQuery(permissionsOfQuery(id, project, environment));
  const change = (changed: object) => void navigate({ search: { ...search, ...changed } });
  return (
    <Section title={`What may ${name} do?`} isStacked>
      <FilterRow>
        <SelectField label="Project" value={project} onChange={(event) => change({ project: event.target.value })}>
          {projects.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Environment"
          value={environment}
          onChange={(event) => change({ environment: event.target.value })}
        >
          {environments.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </SelectField>
      </FilterRow>
      <Shown query={query}>
        {({ overview }) => (
          <div className={styles.places}>
            <Place title="In the instance" permissions={overview.root} />
            <Place title={`In the project ${isolated(project)}`} permissions={overview.project} />
            <Place title={`For ${isolated(environment)}`} permissions={overview.environment} />
          </div>
        )}
      </Shown>
    </Section>
  );
}

interface PlaceProps {
  title: string;
  permissions: readonly { name: string; displayName: string; hasPermission: boolean }[];
}

function Place({ title, permissions }: PlaceProps) {
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {permissions.map(({ name, displayName, hasPermission }) => (
          <li key={name} className={hasPermission ? styles.may : styles.mayNot}>
            <span aria-hidden="true">{hasPermission ? '✓' : '–'}</span> <PermissionName {...{ name, displayName }} />
            {!hasPermission && <span className="visually-hidden"> (not permitted)</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
