import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { projectAccessQuery } from '../api/admin-queries.ts';
import { api, type Schemas, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/counts.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { isolated } from '../ui/direction.ts';
import { EditedInDialog } from '../ui/edited.tsx';
import { Row, Rows, rowName } from '../ui/rows.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { type Holder, ProjectAccessForm } from './project-access-form.tsx';
import { ProjectFrame } from './project-frame.tsx';

const route = getRouteApi('/projects/$projectId/access');

/** Which users and groups have roles in a project. */
export function ProjectAccessPage() {
  const { projectId } = route.useParams();
  const missing = useMissing();
  const needed = (permission: string) => missing(permission, projectId) && missing('UPDATE_PROJECT', projectId);
  const cannotRead = needed('PROJECT_USER_ACCESS_READ');
  const query = useQuery({ ...projectAccessQuery(projectId), enabled: cannotRead === null });
  const [isOpen, setOpen] = useState(false);
  return (
    <ProjectFrame
      projectId={projectId}
      actions={
        <Button look="primary" onClick={() => setOpen(true)} offBecause={needed('PROJECT_USER_ACCESS_WRITE')}>
          Give access
        </Button>
      }
    >
      {() =>
        cannotRead === null ? (
          <Shown query={query}>
            {(access) => (
              <>
                <Holders projectId={projectId} access={access} cannotChange={needed('PROJECT_USER_ACCESS_WRITE')} />
                {isOpen && <ProjectAccessForm {...{ projectId, access }} onClose={() => setOpen(false)} />}
              </>
            )}
          </Shown>
        ) : (
          <Empty title="You cannot see who has access">
            <p>{cannotRead}</p>
          </Empty>
        )
      }
    </ProjectFrame>
  );
}

interface HoldersProps {
  projectId: string;
  access: Schemas['projectAccessSchema'];
  cannotChange: string | null;
}

function Holders({ projectId, access, cannotChange }: HoldersProps) {
  const holders: Holder[] = [
    ...access.groups.map((group) => ({ ...group, kind: 'group' as const })),
    ...access.users.map((user) => ({
      ...user,
      kind: 'user' as const,
      name: user.name || user.username || user.email || '',
    })),
  ];
  if (holders.length === 0) {
    return (
      <Empty title="Nobody has a role in this project alone">
        <p>Root roles count in every project.</p>
      </Empty>
    );
  }
  return (
    <Rows label="Who has access">
      {holders.map((holder) => (
        <HolderRow key={`${holder.kind} ${holder.id}`} {...{ projectId, access, cannotChange, holder }} />
      ))}
    </Rows>
  );
}

function HolderRow({ projectId, access, cannotChange, holder }: HoldersProps & { holder: Holder }) {
  const queries = useQueryClient();
  const [isEdited, setEdited] = useState(false);
  const { kind, id, name, roles } = holder;
  const remove = () =>
    kind === 'group'
      ? write(() =>
          api.DELETE('/api/admin/projects/{projectId}/groups/{groupId}/roles', {
            params: { path: { projectId, groupId: `${id}` } },
          }),
        )
      : write(() =>
          api.DELETE('/api/admin/projects/{projectId}/users/{userId}/roles', {
            params: { path: { projectId, userId: `${id}` } },
          }),
        );
  return (
    <Row
      name={
        <>
          <span className={rowName}>{name}</span>{' '}
          {access.roles
            .filter((role) => roles.includes(role.id))
            .map((role) => (
              <Badge key={role.id}>{role.name}</Badge>
            ))}
        </>
      }
      facts={holder.userCount === undefined ? [] : [`group of ${countOf(holder.userCount, 'member')}`]}
      end={
        <>
          <Button look="quiet" onClick={() => setEdited(true)} offBecause={cannotChange}>
            Edit<span className="visually-hidden"> {name}</span>
          </Button>
          <DeleteButton
            verb="Remove"
            what={`the access of ${isolated(name)}`}
            look="quiet"
            offBecause={cannotChange}
            send={remove}
            onDone={() => {
              sayDone(`${isolated(name)} has no role in ${projectId} any more.`);
              void queries.invalidateQueries({ queryKey: ['project', projectId] });
            }}
          >
            What root roles and groups let them do stays.
          </DeleteButton>
          {isEdited && (
            <EditedInDialog what="these roles" now={holder} settingsOf={(item) => item.roles}>
              {(before) => (
                <ProjectAccessForm {...{ projectId, access, holder: before }} onClose={() => setEdited(false)} />
              )}
            </EditedInDialog>
          )}
        </>
      }
    />
  );
}
