import { linkOptions } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { type FlagSearch, parseFlagSearch } from '../flag-search.ts';

export type SavedView = Schemas['savedViewSchema'];

/** The filters of an address as a view has them. Their order does not matter. */
export function filtersText({ view: _, ...filters }: FlagSearch): string {
  return new URLSearchParams(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

const filtersOf = ({ query }: SavedView): FlagSearch => parseFlagSearch(Object.fromEntries(new URLSearchParams(query)));

/** Whether a list has other filters than the view, from which it was opened. */
export function isChanged(view: SavedView, search: FlagSearch): boolean {
  return filtersText(filtersOf(view)) !== filtersText(search);
}

/** Leads to the flags of the view. */
export function linkToView(view: SavedView) {
  const search = { ...filtersOf(view), view: view.id };
  return view.project === null
    ? linkOptions({ to: '/features', search })
    : linkOptions({ to: '/projects/$projectId', params: { projectId: view.project }, search });
}

/** The views that the page of a project offers. That of all projects, with null, offers all of them. */
export function viewsOn(views: SavedView[], project: string | null): SavedView[] {
  return project === null ? views : views.filter((view) => view.project === project);
}
