import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissing } from '../app/session.ts';
import type { Flag } from '../save/after.ts';
import { requirementInWords } from '../save/dependency-words.ts';
import { Button } from '../ui/button.tsx';
import { DependenciesForm } from './dependencies-form.tsx';
import styles from './relations.module.css';

/** The flags that a flag depends on, those that depend on it, and a form to change the former. */
export function Dependencies({ flag }: { flag: Flag }) {
  const missing = useMissing();
  const [isEditing, setEditing] = useState(false);
  const { project, dependencies, children } = flag;
  const link = (featureName: string) => (
    <Link
      key={featureName}
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: project, featureName }}
    >
      {featureName}
    </Link>
  );
  const offBecause =
    missing('UPDATE_FEATURE_DEPENDENCY', project) ??
    (children.length > 0 ? 'Flags depend on this one, so it cannot depend on others.' : null);
  if (isEditing) return <DependenciesForm flag={flag} onClose={() => setEditing(false)} />;
  return (
    <div className={styles.relations}>
      {dependencies.length > 0 && (
        <ul className={styles.list} aria-label="Depends on">
          {dependencies.map((parent) => (
            <li key={parent.feature}>
              On only where {link(parent.feature)} is {requirementInWords(parent)}.
            </li>
          ))}
        </ul>
      )}
      {children.length > 0 && <p className={styles.row}>Flags that depend on this: {children.map(link)}</p>}
      <Button look="quiet" className={styles.small} offBecause={offBecause} onClick={() => setEditing(true)}>
        {dependencies.length === 0 ? 'Make it depend on a flag' : 'Edit dependencies'}
      </Button>
    </div>
  );
}
