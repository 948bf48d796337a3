import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  contextFieldsQuery,
  featuresQuery,
  integrationsQuery,
  projectsQuery,
  savedViewsQuery,
  segmentsQuery,
} from '../../api/queries.ts';
import { linkToView } from '../../flags/views/saved-view.ts';
import { nameOf } from '../../integrations/integration-name.ts';
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

const archivedFlagsAtMost = 5;

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

/** What flags use and what hears of them. */
function useConfigured(): Found[] {
  const navigate = useNavigate();
  const { segments = [] } = useQuery(segmentsQuery).data ?? {};
  const fields = useQuery(contextFieldsQuery(null)).data ?? [];
  const { addons = [], providers = [] } = useQuery(integrationsQuery).data ?? {};
  return [
    ...segments.map(({ id, name }) => ({
      key: `segment ${id}`,
      label: name,
      kind: 'segment',
      open: () => void navigate({ to: '/segments/$segmentId', params: { segmentId: String(id) } }),
    })),
    ...fields.map(({ name }) => ({
      key: `context field ${name}`,
      label: name,
      kind: 'context field',
      open: () => void navigate({ to: '/context-fields/$contextField', params: { contextField: name } }),
    })),
    ...addons.map((integration) => ({
      key: `integration ${integration.id}`,
      label: nameOf(
        integration,
        providers.find(({ name }) => name === integration.provider),
      ),
      kind: 'integration',
      open: () => void navigate({ to: '/integrations/$id', params: { id: String(integration.id) } }),
    })),
  ];
}

/** The first flags, archived or not, that the search finds with the text. */
function useFlags(asked: string, archived?: 'IS:true') {
  const { data, error, isFetching } = useInfiniteQuery({
    ...featuresQuery({ query: asked || undefined, archived }),
    placeholderData: keepPreviousData,
    enabled: asked !== '',
  });
  return { features: data?.pages[0]?.features ?? [], isFetching, error };
}

/** What has the text in its name, pages first. What Enter opens always has the text that is typed. */
export function useFound(text: string): { found: Found[]; isComplete: boolean; error: Error | null } {
  const navigate = useNavigate();
  const cannotRead = useCannotRead();
  const configured = useConfigured();
  const views = useQuery(savedViewsQuery);
  const projects = useQuery(projectsQuery);
  const asked = useSettled(text);
  const flags = useFlags(asked);
  const archivedFlags = useFlags(asked, 'IS:true');
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
  const foundFlags = [
    ...flags.features.filter(({ name }) => has(name)).slice(0, flagsAtMost),
    ...archivedFlags.features.filter(({ name }) => has(name)).slice(0, archivedFlagsAtMost),
  ].map(({ name, project, archivedAt }) => ({
    key: `flag ${project} ${name} ${archivedAt}`,
    label: name,
    kind: archivedAt === null ? `flag of ${project}` : `archived flag of ${project}`,
    open: () =>
      void navigate({
        to: '/projects/$projectId/features/$featureName',
        params: { projectId: project, featureName: name },
      }),
  }));
  const found = [
    ...pages,
    ...foundViews,
    ...foundProjects,
    ...(text === '' ? [] : [...foundFlags, ...configured.filter(({ label }) => has(label))]),
  ];
  return {
    found,
    isComplete: asked === text && !flags.isFetching && !archivedFlags.isFetching,
    error: flags.error ?? archivedFlags.error ?? projects.error,
  };
}
