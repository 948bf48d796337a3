import { getRouteApi } from '@tanstack/react-router';
import { ProjectFrame } from '../projects/project-frame.tsx';
import styles from '../projects/projects-page.module.css';
import { ExportFlags } from './export-flags.tsx';
import { ImportFlags } from './import-flags.tsx';

const route = getRouteApi('/projects/$projectId/transfer');

/** Takes flags out of a project as a file, and reads such a file. */
export function TransferPage() {
  const { projectId } = route.useParams();
  return (
    <ProjectFrame projectId={projectId}>
      {({ environments }) => {
        const names = environments.map(({ environment }) => environment);
        return (
          <div key={projectId} className={styles.settings}>
            <ExportFlags projectId={projectId} environments={names} />
            <ImportFlags projectId={projectId} environments={names} />
          </div>
        );
      }}
    </ProjectFrame>
  );
}
