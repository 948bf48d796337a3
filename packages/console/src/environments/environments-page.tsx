import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../api/queries.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Rows } from '../ui/rows.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { EnvironmentRow } from './environment-row.tsx';
import { NewEnvironment } from './new-environment.tsx';

/** The environments of the instance, in the order in which flags show them. */
export function EnvironmentsPage() {
  const query = useQuery(environmentsQuery);
  return (
    <>
      <PageHead title="Environments">
        <NewEnvironment />
      </PageHead>
      <p>
        Flags have their switches and strategies in each environment of their project. Screens show environments in this
        order. Projects have their environments in their settings.
      </p>
      <Shown query={query}>
        {({ environments }) =>
          environments.length === 0 ? (
            <Empty title="There is no environment" />
          ) : (
            <Rows label="Environments">
              {environments.map((environment) => (
                <EnvironmentRow key={environment.name} {...{ environment, environments }} />
              ))}
            </Rows>
          )
        }
      </Shown>
    </>
  );
}
