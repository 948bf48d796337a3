import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, write } from '../../api/client.ts';
import { savedViewsQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { SendAgain } from '../../ui/send-again.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import type { FlagSearch } from '../flag-search.ts';
import { filtersText, isChanged, linkToView, type SavedView, viewsOn } from './saved-view.ts';
import styles from './saved-views.module.css';

// Menus are a part of what a first page would load that only those need who have views.
const SavedViewMenu = lazy(async () => ({ default: (await import('./saved-view-menu.tsx')).SavedViewMenu }));
const NameView = lazy(async () => ({ default: (await import('./name-view.tsx')).NameView }));

interface Props {
  search: FlagSearch;
  /** The project whose flags are listed; null for those of all projects. */
  project: string | null;
  onChange: (search: FlagSearch) => void;
}

/** The views that the user has saved, and a button that saves the present filters as another one. */
export function SavedViews({ search, project, onChange }: Props) {
  const views = useQuery(savedViewsQuery);
  const [isSaving, setSaving] = useState(false);
  const { view: openId, ...filters } = search;
  const present = { project, query: filtersText(search) };
  return (
    <nav aria-label="Saved views" className={styles.views}>
      {viewsOn(views.data ?? [], project).map((view) => {
        const isOpen = view.id === openId;
        return (
          <span key={view.id} className={`${styles.view} ${isOpen ? styles.open : ''}`}>
            <Link {...linkToView(view)} className={styles.link} aria-current={isOpen ? 'page' : undefined}>
              {view.name}
            </Link>
            {view.project !== project && <span className={styles.project}>{view.project}</span>}
            {isOpen && isChanged(view, search) && <Badge look="warning">changed</Badge>}
            <Suspense fallback={<span className={styles.menu} />}>
              <SavedViewMenu
                view={view}
                present={present}
                onReplaced={() => onChange({ ...filters, view: view.id })}
                onDeleted={() => isOpen && onChange(filters)}
              />
            </Suspense>
          </span>
        );
      })}
      <Said query={views} />
      <Button
        look="quiet"
        offBecause={present.query === '' ? 'Choose filters first.' : null}
        onClick={() => setSaving(true)}
      >
        Save view
      </Button>
      {isSaving && (
        <Suspense>
          <NameView
            title="Save view"
            submit="Save"
            initial=""
            send={(name) => write(() => api.POST('/api/admin/user/views', { body: { name, ...present } }))}
            onDone={({ id, name }) => {
              sayDone(`The view ${isolated(name)} was saved.`);
              onChange({ ...filters, view: id });
            }}
            onClose={() => setSaving(false)}
          />
        </Suspense>
      )}
    </nav>
  );
}

/** What a row says in place of views, and when they could not be read again. */
function Said({ query: { data, error, refetch } }: { query: UseQueryResult<SavedView[]> }) {
  if (error === null) {
    if (data === undefined) return <span role="status">Loading views …</span>;
    return data.length === 0 && <span className={styles.quiet}>No saved views yet</span>;
  }
  return (
    <span role="alert">
      {data === undefined ? 'Your views could not be read.' : 'Your views may be old.'} {error.message}{' '}
      <SendAgain error={error} look="quiet" onClick={() => void refetch()}>
        Read views again
      </SendAgain>
    </span>
  );
}
