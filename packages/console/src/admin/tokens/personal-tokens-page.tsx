import { useQuery } from '@tanstack/react-query';
import { personalTokensQuery } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Row, Rows, rowName } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { NewPersonalToken } from './new-personal-token.tsx';
import { TokenTimes } from './token-times.tsx';

/** The tokens with which programs call the API as the user who is logged in. */
export function PersonalTokensPage() {
  const query = useQuery(personalTokensQuery);
  const readAgain = useReadAgain('tokens', 'personal');
  return (
    <>
      <PageHead title="Your personal tokens">
        <NewPersonalToken
          whose="of yours"
          send={(body) => write(() => api.POST('/api/admin/user/tokens', { body }))}
          onMade={() => readAgain()}
        />
      </PageHead>
      <Shown query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="You have no personal token">
              <p>With one, a program calls the API as you. It may do what you may do.</p>
            </Empty>
          ) : (
            <Rows label="Your personal tokens">
              {tokens.map((token) => (
                <Row
                  key={token.id}
                  name={<span className={rowName}>{token.description}</span>}
                  end={
                    <DeleteButton
                      what={`the token ${token.description}`}
                      look="quiet"
                      offBecause={null}
                      send={() =>
                        write(() =>
                          api.DELETE('/api/admin/user/tokens/{id}', { params: { path: { id: `${token.id}` } } }),
                        )
                      }
                      onDone={() => readAgain(`The token ${token.description} was deleted.`)}
                    >
                      Whatever uses it is refused from now on.
                    </DeleteButton>
                  }
                >
                  <TokenTimes token={token} />
                </Row>
              ))}
            </Rows>
          )
        }
      </Shown>
    </>
  );
}
