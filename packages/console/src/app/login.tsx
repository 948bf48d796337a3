import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { meQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import styles from './login.module.css';
import { announceSession, setNeedsLogin } from './session.ts';

/** The page without a session. */
export function LoginPage() {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Yardarm</h1>
        <LoginForm />
      </div>
    </main>
  );
}

/** Asks for a login over the page when the session has ended. What was typed in the page stays. */
export function LoginDialog() {
  return (
    <Dialog title="Your session has ended" isOpen onClose={() => undefined}>
      <p>Log in to go on. What you typed is still here.</p>
      <LoginForm />
    </Dialog>
  );
}

function LoginForm() {
  const queries = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const login = useMutation({
    mutationFn: () => write(() => api.POST('/auth/simple/login', { body: { username, password } })),
    async onSuccess(user) {
      const before = queries.getQueryData(meQuery.queryKey)?.user.id;
      setNeedsLogin(false);
      if (before === user.id) {
        await queries.invalidateQueries();
        return;
      }
      // Another user may not see what is in the cache, in any tab.
      announceSession();
      if (before === undefined) await queries.resetQueries();
      else location.reload();
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };

  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="User name or email"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {login.error !== null && (
        <p className={styles.error} role="alert">
          {messageOf(login.error)}
        </p>
      )}
      <DialogActions>
        <Button look="primary" type="submit" isBusy={login.isPending}>
          Log in
        </Button>
      </DialogActions>
    </form>
  );
}

function messageOf(error: Error): string {
  return error instanceof Problem && error.kind === 'unauthenticated'
    ? 'This user name and password do not match.'
    : error.message;
}
