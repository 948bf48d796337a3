import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { featureQuery, projectQuery } from '../api/queries.ts';
import type { Flag, FlagEnvironment } from '../save/after.ts';
import { isolated } from '../ui/direction.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';

interface EnvironmentFrameProps {
  projectId: string;
  featureName: string;
  /** The name of the environment. */
  name: string;
  title: string;
  children: (shown: { flag: Flag; environment: FlagEnvironment; defaultStickiness: string }) => ReactNode;
}

/** A page about a flag in one environment, below a link to the flag. */
export function EnvironmentFrame({ projectId, featureName, name, title, children }: EnvironmentFrameProps) {
  const flag = useQuery(featureQuery(projectId, featureName));
  const project = useQuery(projectQuery(projectId));
  return (
    <>
      <PageHead
        title={title}
        above={
          <Link to="/projects/$projectId/features/$featureName" params={{ projectId, featureName }}>
            {featureName}
          </Link>
        }
      />
      <Shown query={flag}>
        {(found) => (
          <Shown query={project}>
            {({ defaultStickiness }) => {
              const environment = found.environments.find((each) => each.name === name);
              return environment === undefined ? (
                <Empty title={`The project has no environment ${isolated(name)}`} />
              ) : (
                children({ flag: found, environment, defaultStickiness })
              );
            }}
          </Shown>
        )}
      </Shown>
    </>
  );
}
