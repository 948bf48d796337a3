import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../ui/page-head.tsx';
import { currentTab, Tabs } from '../ui/tabs.tsx';

interface Props {
  project: string;
  feature: string;
  /** What can be done with the flag. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The pages of a flag: its name, and the way to each of them. */
export function FlagFrame({ project, feature, actions, children }: Props) {
  const common = { params: { projectId: project, featureName: feature }, activeProps: currentTab };
  const above = (
    <Link to="/projects/$projectId" params={{ projectId: project }}>
      {project}
    </Link>
  );
  return (
    <>
      <PageHead title={feature} above={above}>
        {actions}
      </PageHead>
      <Tabs label="Flag">
        <Link to="/projects/$projectId/features/$featureName" activeOptions={{ exact: true }} {...common}>
          Flag
        </Link>
        <Link
          to="/projects/$projectId/features/$featureName/usage"
          activeOptions={{ includeSearch: false }}
          {...common}
        >
          Usage
        </Link>
        <Link
          to="/projects/$projectId/features/$featureName/history"
          activeOptions={{ includeSearch: false }}
          {...common}
        >
          History
        </Link>
      </Tabs>
      {children}
    </>
  );
}
