import { useQuery } from '@tanstack/react-query';
import type { Role, User } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Row, rowName } from '../../ui/rows.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { nameOf } from '../names.ts';
import { useReadAgain } from '../use-read-again.ts';
import { EditUser } from './edit-user.tsx';
import { ResetPassword } from './reset-password.tsx';

export function UserRow({ user, roles }: { user: User; roles: readonly Role[] }) {
  const { data: me } = useQuery(meQuery);
  const readAgain = useReadAgain('people');
  const name = nameOf(user);
  const isMe = me?.user.id === user.id;
  return (
    <Row
      name={
        <>
          <span className={rowName}>{name}</span> <Badge>{roles.find(({ id }) => id === user.rootRole)?.name}</Badge>{' '}
          {isMe && <Badge look="good">you</Badge>}
        </>
      }
      facts={[user.username, user.email].filter((fact) => fact !== undefined && fact !== name) as string[]}
      end={
        <>
          <EditUser user={user} roles={roles} />
          <ResetPassword user={user} />
          <DeleteButton
            what={`the user ${name}`}
            look="quiet"
            offBecause={isMe ? 'You cannot delete yourself.' : null}
            send={() =>
              write(() => api.DELETE('/api/admin/user-admin/{id}', { params: { path: { id: `${user.id}` } } }))
            }
            onDone={() => readAgain(`The user ${name} was deleted.`)}
          >
            Their sessions and tokens end now. What they made stays.
          </DeleteButton>
        </>
      }
    >
      <p className={styles.quiet}>
        {user.seenAt === null ? 'Never seen' : 'Seen '}
        {user.seenAt !== null && <Time at={user.seenAt} />} · made <Time at={user.createdAt} />
      </p>
    </Row>
  );
}
