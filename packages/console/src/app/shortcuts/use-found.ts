import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { featuresQuery, projectsQuery, savedViewsQuery } from '../../api/queries.ts';
import { linkToView } from '../../flags/views/saved-view.ts';
import { useCannotRead } from '../cannot-read.ts';
import { adminPlaces, ownPlaces, placeGroups } from '../places.ts';

interface Found {
  key: string;
  label: string;
  /** What it is, such as `flag of default`. */
  kind: string;
  open: () => void;
}

const flagsAtMost = 20;

/** Time for the next letter of a word. */
const typingMs = 150;

/** The text once nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** What has the text in its name, pages first. What Enter opens always has the text that is typed. */
export function useFound(text: string): { found: Found[]; isComplete: boolean } {
  const navigate = useNavigate();
  const cannotRead = useCannotRead();
  const views = useQuery(savedViewsQuery);
  const projects = useQuery(projectsQuery);
  const asked = useSettled(text);
  const flags = useInfiniteQuery({
    ...featuresQuery({ query: asked || undefined }),
    placeholderData: keepPreviousData,
    enabled: asked !== '',
  });
  const searched = text.trim().toLowerCase();
  const has = (name: string) => name.toLowerCase().includes(searched);
  const pages = [
    ...placeGroups.flatMap(({ places }) => places.map((place) => ({ ...place, kind: 'page' }))),
    ...adminPlaces.map(({ to, label }) => ({ to, label, kind: cannotRead(to) ?? 'administration' })),
    ...ownPlaces.map((place) => ({ ...place, kind: 'your account' })),
  ]
    .filter(({ label }) => has(label))
    .map(({ to, label, kind }) => ({ key: to, label, kind, open: () => void navigate({ to }) }));
  const foundViews = (views.data ?? [])
    .filter(({ name }) => has(name))
    .map((view) => ({
      key: `view ${view.id}`,
      label: view.name,
      kind: view.project === null ? 'saved view' : `saved view of ${view.project}`,
      open: () => void navigate(linkToView(view)),
    }));
  const foundProjects = (projects.data?.projects ?? [])
    .filter(({ id, name }) => has(name) || has(id))
    .map(({ id, name }) => ({
      key: `project ${id}`,
      label: name,
      kind: 'project',
      open: () => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
    }));
  const foundFlags = (text === '' ? [] : (flags.data?.pages[0]?.features ?? []))
    .filter(({ name }) => has(name))
    .slice(0, flagsAtMost)
    .map(({ name, project }) => ({
      key: `flag ${name}`,
      label: name,
      kind: `flag of ${project}`,
      open: () =>
        void navigate({
          to: '/projects/$projectId/features/$featureName',
          params: { projectId: project, featureName: name },
        }),
    }));
  const found = [...pages, ...foundViews, ...foundProjects, ...foundFlags];
  return { found, isComplete: asked === text && !flags.isFetching };
}
