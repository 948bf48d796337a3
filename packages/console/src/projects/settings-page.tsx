import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectQuery } from '../api/queries.ts';
import { Edited } from '../ui/edited.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { LinkSettings } from './link-settings.tsx';
import { NamingSettings } from './naming-settings.tsx';
import { ProjectEnd } from './project-end.tsx';
import { type Project, ProjectFrame } from './project-frame.tsx';
import styles from './projects-page.module.css';
import type { SettingsProps } from './settings-form.tsx';

const route = getRouteApi('/projects/$projectId/settings');

interface Part {
  what: string;
  settingsOf: (project: Project) => unknown;
  Form: (props: SettingsProps) => ReactNode;
}

/** Each is saved alone. */
const forms: Part[] = [
  {
    what: 'the general settings',
    settingsOf: ({ name, description, defaultStickiness, featureLimit }) => ({
      ...{ name, description, defaultStickiness, featureLimit },
    }),
    Form: GeneralSettings,
  },
  { what: 'the naming of flags', settingsOf: ({ featureNaming }) => featureNaming, Form: NamingSettings },
  { what: 'the links of flags', settingsOf: ({ linkTemplates }) => linkTemplates, Form: LinkSettings },
];

/** What a project is, how its flags are named, what they link to, and its end. */
export function ProjectSettingsPage() {
  const { projectId } = route.useParams();
  const queries = useQueryClient();
  const read = () => queries.getQueryData(projectQuery(projectId).queryKey);
  return (
    <ProjectFrame projectId={projectId}>
      {(project) => (
        <div key={projectId} className={styles.settings}>
          {forms.map(({ what, settingsOf, Form }) => (
            <Edited key={what} {...{ what, settingsOf, read }} now={project}>
              {(before, onSaved) => <Form id={projectId} project={before} onSaved={onSaved} />}
            </Edited>
          ))}
          <ProjectEnd id={projectId} project={project} />
        </div>
      )}
    </ProjectFrame>
  );
}
