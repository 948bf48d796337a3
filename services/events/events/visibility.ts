import { can } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { type EventType, eventTypesOfPeople } from '@yardarm/shared/contracts/events';

/**
 * What somebody may see of the log.
 *   everything            whoever may read the log: ADMIN, READ_LOGS
 *   all but of people     everybody else, `ofPeopleIn` being the projects (or all of them) to whose access they may look
 *
 * Every project is open, so what happens to flags, projects, segments and the like is seen by everybody who may come in, as in the
 * public product. Events of people, of their roles and of tokens carry e-mails and say who may do what: those are for whoever reads
 * the log of the whole system, and within a project for whoever may see who has access to it.
 */
export type Visibility = 'everything' | { readonly ofPeopleIn: 'every-project' | readonly string[] };

/** Each of them shows who has access to a project, as accounts has it. */
const showAccess = ['PROJECT_USER_ACCESS_READ', 'UPDATE_PROJECT'] as const;

/** What the actor may see of the log. */
export function visibleTo(actor: Actor): Visibility {
  if (can(actor, 'READ_LOGS')) return 'everything';
  if (showAccess.some((permission) => can(actor, permission))) return { ofPeopleIn: 'every-project' };
  const projects = new Set(actor.grants.flatMap((grant) => grant.projects ?? []));
  const showing = [...projects].filter((project) =>
    showAccess.some((permission) => can(actor, permission, { project })),
  );
  return { ofPeopleIn: showing.sort() };
}

/** Whether the event is among what may be seen; the same as the condition that a search puts to the database. */
export function isVisible(event: { type: EventType; project: string | null }, visibility: Visibility): boolean {
  if (visibility === 'everything' || !eventTypesOfPeople.includes(event.type)) return true;
  const { ofPeopleIn } = visibility;
  return event.project !== null && (ofPeopleIn === 'every-project' || ofPeopleIn.includes(event.project));
}
