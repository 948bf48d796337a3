import { useState } from 'react';
import { api, type Schemas, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { type Keyed, keyed } from '../flag/strategy/draft.ts';
import { isSame } from '../save/same.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import styles from './link-settings.module.css';
import { SettingsForm, type SettingsProps } from './settings-form.tsx';
import { useSaveProject } from './use-save-project.ts';

type Link = Keyed<Schemas['projectOverviewSchema']['linkTemplates'][number]>;

/** As many as the API accepts. */
const maxLinks = 50;

/** The links that each flag of the project shows. */
export function LinkSettings({ id, project, onSaved }: SettingsProps) {
  const [links, setLinks] = useState<Link[]>(() => project.linkTemplates.map(keyed));
  const linkTemplates = templatesOf(links);
  const save = useSaveProject(
    id,
    () => {
      const params = { path: { projectId: id } };
      return write(() => api.PUT('/api/admin/projects/{projectId}/settings', { params, body: { linkTemplates } }));
    },
    onSaved,
  );
  const set = (changed: Link[]) => {
    setLinks(changed);
    // An error names its link by the position, which may be another one's now.
    save.reset();
  };
  const names = links.flatMap((_, index) => [`linkTemplates[${index}].title`, `linkTemplates[${index}].urlTemplate`]);
  return (
    <SettingsForm
      title="Links of flags"
      hint="The page of each flag shows them. {{feature}} becomes its name, and {{project}} the id of the project."
      id={id}
      project={project}
      isDirty={!isSame(linkTemplates, templatesOf(project.linkTemplates))}
      mutation={save}
      names={names}
    >
      <ol className={styles.links} aria-label="Links">
        {links.map((link, index) => (
          <li key={link.key} className={styles.link}>
            <TextField
              label="Text"
              maxLength={255}
              error={fieldError(save.error, `linkTemplates[${index}].title`)}
              value={link.title ?? ''}
              onChange={(event) => set(links.with(index, { ...link, title: event.target.value }))}
            />
            <TextField
              label="Address"
              required
              maxLength={2000}
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="https://example.com/search?q={{feature}}"
              error={fieldError(save.error, `linkTemplates[${index}].urlTemplate`)}
              value={link.urlTemplate}
              onChange={(event) => set(links.with(index, { ...link, urlTemplate: event.target.value.trim() }))}
            />
            <Button
              look="quiet"
              aria-label={`Remove the link ${link.title || index + 1}`}
              onClick={() => set(links.toSpliced(index, 1))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ol>
      <Button
        offBecause={links.length < maxLinks ? null : `A project has at most ${maxLinks} links.`}
        onClick={() => set([...links, keyed({ title: null, urlTemplate: '' })])}
      >
        Add a link
      </Button>
    </SettingsForm>
  );
}

function templatesOf(links: SettingsProps['project']['linkTemplates']) {
  return links.map(({ title, urlTemplate }) => ({ title: title?.trim() || null, urlTemplate }));
}
