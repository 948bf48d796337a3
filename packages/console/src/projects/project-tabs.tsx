import { Link } from '@tanstack/react-router';
import { currentTab, Tabs } from '../ui/tabs.tsx';

/** Between the pages of a project. */
export function ProjectTabs({ projectId }: { projectId: string }) {
  const common = { params: { projectId }, activeProps: currentTab };
  return (
    <Tabs label="Project">
      <Link to="/projects/$projectId" activeOptions={{ exact: true, includeSearch: false }} {...common}>
        Flags
      </Link>
      <Link to="/projects/$projectId/environments" {...common}>
        Environments
      </Link>
      <Link to="/projects/$projectId/segments" {...common}>
        Segments
      </Link>
      <Link to="/projects/$projectId/context" {...common}>
        Context fields
      </Link>
      <Link to="/projects/$projectId/actions" {...common}>
        Action sets
      </Link>
      <Link to="/projects/$projectId/access" {...common}>
        Access
      </Link>
      <Link to="/projects/$projectId/transfer" {...common}>
        Export and import
      </Link>
      <Link to="/projects/$projectId/settings" {...common}>
        Settings
      </Link>
    </Tabs>
  );
}
