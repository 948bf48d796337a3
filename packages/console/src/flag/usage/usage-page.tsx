import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { answer, api } from '../../api/client.ts';
import { SelectField } from '../../ui/field.tsx';
import { FilterRow } from '../../ui/filter-row.tsx';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { FlagFrame } from '../flag-frame.tsx';
import { UsageOfEnvironment } from './usage-of-environment.tsx';
import { periods, type UsageSearch } from './usage-search.ts';
import { usageSeries } from './usage-series.ts';

const route = getRouteApi('/projects/$projectId/features/$featureName/usage');

/** SDKs report once a minute or more often. */
const readAgainMs = 30_000;

const usageQuery = (project: string, name: string, hours: number) =>
  queryOptions({
    queryKey: ['feature', project, name, 'usage', hours],
    queryFn: () =>
      answer(
        api.GET('/api/admin/client-metrics/features/{name}/raw', {
          params: { path: { name }, query: { hoursBack: String(hours) } },
        }),
      ),
    refetchInterval: readAgainMs,
  });

/** How often a flag was on and off, by hour or day, in each environment that evaluated it. */
export function UsagePage() {
  const { projectId, featureName } = route.useParams();
  const { hours = periods[0]![0], application = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(usageQuery(projectId, featureName, hours));
  const applications = [...new Set(query.data?.data.map(({ appName }) => appName))].sort();
  const show = (chosen: UsageSearch) => {
    const next = { hours, application, ...chosen };
    const search = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
    void navigate({ search });
  };
  return (
    <FlagFrame project={projectId} feature={featureName}>
      <FilterRow>
        <SelectField label="Time" value={hours} onChange={(event) => show({ hours: Number(event.target.value) })}>
          {periods.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <FilterSelect
          label="Application"
          options={[...new Set([...applications, ...(application ? [application] : [])])].map((name) => [name, name])}
          value={application}
          onChange={(value) => show({ application: value })}
        />
      </FilterRow>
      <Shown query={query}>
        {({ data }) => {
          const rows = data.filter(({ appName }) => application === '' || appName === application);
          const environments = [...new Set(rows.map(({ environment }) => environment))].sort();
          if (environments.length === 0) return <Empty title="No SDK has evaluated it in this time" />;
          return environments.map((environment) => (
            <UsageOfEnvironment
              key={environment}
              name={environment}
              hours={hours}
              points={usageSeries(
                rows.filter((row) => row.environment === environment),
                hours,
                query.dataUpdatedAt,
              )}
            />
          ));
        }}
      </Shown>
    </FlagFrame>
  );
}
