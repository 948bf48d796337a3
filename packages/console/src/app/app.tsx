import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { meQuery } from '../api/queries.ts';
import { startLive } from '../live/live.ts';
import { keepFocus } from '../ui/keep-focus.ts';
import { Failed, Loading } from '../ui/shown.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { ChooseOwnPassword } from './choose-own-password.tsx';
import { LoginPage } from './login.tsx';
import { createQueryClient } from './query-client.ts';
import { createAppRouter, loadPage } from './router.tsx';
import { followSession, useNeedsLogin } from './session.ts';

const loadLoginDialog = () => import('./login-dialog.tsx');
const LoginDialog = lazy(async () => ({ default: (await loadLoginDialog()).LoginDialog }));

/** The dialog is there when a session ends, also if the server has a newer build then. The first screen goes first. */
const loginDialogAfterMs = 5_000;

const queries = createQueryClient();
const router = createAppRouter(queries);
loadPage(router);
// At first the keyboard begins with the link to the content.
router.subscribe('onRendered', ({ fromLocation }) => fromLocation !== undefined && keepFocus());

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Session />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Shows the login, the forced change of a password, or the console. */
function Session() {
  const me = useQuery(meQuery);
  const needsLogin = useNeedsLogin();
  useEffect(() => followSession(queries), []);
  if (me.data === undefined) {
    if (needsLogin) return <LoginPage />;
    return me.error === null ? <Loading /> : <Failed error={me.error} retry={me.refetch} />;
  }
  if (me.data.user.mustChangePassword) return <ChooseOwnPassword />;
  return (
    <>
      <Live />
      <RouterProvider router={router} />
      {needsLogin && (
        <Suspense>
          <LoginDialog username={me.data.user.username ?? me.data.user.email ?? ''} />
        </Suspense>
      )}
    </>
  );
}

function Live() {
  useEffect(() => startLive(queries), []);
  useEffect(() => {
    const timer = setTimeout(() => void loadLoginDialog().catch(() => undefined), loginDialogAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return null;
}
