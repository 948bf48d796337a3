import type { ApiToken } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { Row, rowName } from '../../ui/rows.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { markOf } from './token-mark.ts';
import { TokenTimes } from './token-times.tsx';

const permissions = {
  client: 'DELETE_CLIENT_API_TOKEN',
  frontend: 'DELETE_FRONTEND_API_TOKEN',
  admin: 'ADMIN',
} as const;

export function ApiTokenRow({ token }: { token: ApiToken }) {
  const { secret, tokenName, type, environment, projects } = token;
  const missing = useMissing()(permissions[type]);
  const readAgain = useReadAgain('tokens');
  const places = projects.includes('*') ? 'every project' : projects.join(', ');
  const reads = type === 'admin' ? ['may do everything'] : [environment, places];
  return (
    <Row
      name={
        <>
          <span className={rowName}>{tokenName}</span>{' '}
          <Badge look={type === 'admin' ? 'warning' : 'plain'}>{type}</Badge>
        </>
      }
      facts={[...reads, markOf(token)]}
      end={
        <DeleteButton
          what={`the token ${isolated(tokenName)}, which ${markOf(token)}`}
          look="quiet"
          offBecause={missing}
          send={() => write(() => api.DELETE('/api/admin/api-tokens/{token}', { params: { path: { token: secret } } }))}
          onDone={() => readAgain(`The token ${isolated(tokenName)} was deleted.`)}
        >
          It is of the type {type} and {type === 'admin' ? 'may do everything' : `reads ${places} in ${environment}`}.
          Whatever uses it is refused from now on. An SDK keeps the flags that it has read until its program restarts.
        </DeleteButton>
      }
    >
      <TokenTimes token={token} />
    </Row>
  );
}
