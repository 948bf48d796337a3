import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { projectQuery } from '../api/queries.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Shown } from '../ui/shown.tsx';
import { ProjectStar } from './project-star.tsx';
import { ProjectTabs } from './project-tabs.tsx';
import { ReviveProject } from './revive-project.tsx';

export type Project = Schemas['projectOverviewSchema'];

interface Props {
  projectId: string;
  /** What is at the end of the title. */
  actions?: ReactNode;
  children: (project: Project) => ReactNode;
}

/** The title and the tabs of a project, around one of its pages. */
export function ProjectFrame({ projectId, actions, children }: Props) {
  const query = useQuery(projectQuery(projectId));
  return (
    <Shown query={query}>
      {(project) => (
        <>
          <PageHead title={project.name} above={<Link to="/projects">Projects</Link>}>
            <ProjectStar id={projectId} name={project.name} favorite={project.favorite} />
            {actions}
          </PageHead>
          <ProjectTabs projectId={projectId} />
          {project.archivedAt !== null && <ReviveProject id={projectId} name={project.name} />}
          {children(project)}
        </>
      )}
    </Shown>
  );
}
