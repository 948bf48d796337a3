import { useState } from 'react';
import type { PersonalToken, Role, ServiceAccount } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { EditedInDialog } from '../../ui/edited.tsx';
import { Row, rowName } from '../../ui/rows.tsx';
import styles from '../admin.module.css';
import { NewPersonalToken } from '../tokens/new-personal-token.tsx';
import { TokenTimes } from '../tokens/token-times.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { ServiceAccountForm } from './service-account-form.tsx';

const settingsOf = ({ name, rootRole }: ServiceAccount) => ({ name, rootRole });

export function ServiceAccountRow({ account, roles }: { account: ServiceAccount; roles: readonly Role[] }) {
  const [isEdited, setEdited] = useState(false);
  const readAgain = useReadAgain('people');
  const { id, name, username, rootRole, tokens } = account;
  const path = { id: `${id}` };
  return (
    <Row
      name={
        <>
          <span className={rowName}>{name}</span> <Badge>{roles.find((role) => role.id === rootRole)?.name}</Badge>
        </>
      }
      facts={username === name ? [] : [username]}
      end={
        <>
          <NewPersonalToken
            whose={`of ${isolated(name)}`}
            send={(body) => write(() => api.POST('/api/admin/service-account/{id}/token', { params: { path }, body }))}
            onMade={() => readAgain()}
          />
          <Button look="quiet" onClick={() => setEdited(true)}>
            Edit<span className="visually-hidden"> {name}</span>
          </Button>
          <DeleteButton
            what={`the service account ${isolated(name)}`}
            look="quiet"
            offBecause={null}
            send={() => write(() => api.DELETE('/api/admin/service-account/{id}', { params: { path } }))}
            onDone={() => readAgain(`The service account ${isolated(name)} was deleted.`)}
          >
            Its tokens are refused from now on, and action sets that act as it fail.
          </DeleteButton>
          {isEdited && (
            <EditedInDialog what="this service account" now={account} settingsOf={settingsOf}>
              {(before) => <ServiceAccountForm account={before} roles={roles} onClose={() => setEdited(false)} />}
            </EditedInDialog>
          )}
        </>
      }
    >
      {tokens.length === 0 ? (
        <p className={styles.quiet}>No token</p>
      ) : (
        <ul aria-label={`Tokens of ${isolated(name)}`}>
          {tokens.map((token) => (
            <AccountToken key={token.id} accountId={id} token={token} />
          ))}
        </ul>
      )}
    </Row>
  );
}

function AccountToken({ accountId, token }: { accountId: number; token: PersonalToken }) {
  const readAgain = useReadAgain('people', 'service-accounts');
  const path = { id: `${accountId}`, tokenId: `${token.id}` };
  return (
    <li className={styles.token}>
      <div>
        {token.description}
        <TokenTimes token={token} />
      </div>
      <DeleteButton
        what={`the token ${token.description}`}
        look="quiet"
        offBecause={null}
        send={() => write(() => api.DELETE('/api/admin/service-account/{id}/token/{tokenId}', { params: { path } }))}
        onDone={() => readAgain(`The token ${token.description} was deleted.`)}
      >
        Whatever uses it is refused from now on.
      </DeleteButton>
    </li>
  );
}
