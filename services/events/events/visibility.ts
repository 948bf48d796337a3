import { can } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { type EventType, eventTypesOfPeople } from '@yardarm/shared/contracts/events';

/**
 * The events that an actor may see.
 *   everything    actors with ADMIN or READ_LOGS
 *   ofPeopleIn    other actors see all events that are not of people, and events of people of these projects
 *
 * Every project is open, so every actor sees the events of flags, projects, segments and the like, as in the public
 * product. Events of people, of their roles and of tokens contain e-mails and permissions. Only actors who may read the
 * whole log see them, and within a project those who may see its access.
 */
export type Visibility = 'everything' | { readonly ofPeopleIn: 'every-project' | readonly string[] };

/** Each of these permissions shows the access of a project, as in accounts. */
const accessPermissions = ['PROJECT_USER_ACCESS_READ', 'UPDATE_PROJECT'] as const;

export function visibleTo(actor: Actor): Visibility {
  if (can(actor, 'READ_LOGS')) return 'everything';
  if (accessPermissions.some((permission) => can(actor, permission))) return { ofPeopleIn: 'every-project' };
  const projects = new Set(actor.grants.flatMap((grant) => grant.projects ?? []));
  const visibleProjects = [...projects].filter((project) =>
    accessPermissions.some((permission) => can(actor, permission, { project })),
  );
  return { ofPeopleIn: visibleProjects.sort() };
}

/** Equals the SQL condition of `isVisible` in events.repo.ts. */
export function isVisible(event: { type: EventType; project: string | null }, visibility: Visibility): boolean {
  if (visibility === 'everything' || !eventTypesOfPeople.includes(event.type)) return true;
  const { ofPeopleIn } = visibility;
  return event.project !== null && (ofPeopleIn === 'every-project' || ofPeopleIn.includes(event.project));
}
