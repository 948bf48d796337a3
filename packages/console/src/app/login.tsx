import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useState } from 'react';
import { api, basePath, write } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { DialogActions } from '../ui/dialog-actions.tsx';
import { TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import styles from './login.module.css';
import { announceSession, goOnAs } from './session.ts';

/** The page without a session. */
export function LoginPage() {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Yardarm</h1>
        <p>
          A feature flag service. Log in to see and change its flags; the first administrator is made when the service
          starts. SDKs and scripts use the <a href={`${basePath}/docs`}>HTTP API</a>.
        </p>
        <LoginForm username="" />
      </div>
    </main>
  );
}

/** The fields of a login. `username` is filled in when it is known. */
export function LoginForm(before: { username: string; passwordRef?: RefObject<HTMLInputElement | null> }) {
  const queries = useQueryClient();
  const [username, setUsername] = useState(before.username);
  const [password, setPassword] = useState('');
  const login = useMutation({
    mutationFn: () => write(() => api.POST('/auth/simple/login', { body: { username, password } })),
    async onSuccess({ id }) {
      announceSession(id);
      await goOnAs(queries, id);
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
        ref={before.passwordRef}
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
        <SubmitButton mutation={login}>Log in</SubmitButton>
      </DialogActions>
    </form>
  );
}

function messageOf(error: Error): string {
  return error instanceof Problem && error.kind === 'unauthenticated'
    ? 'This user name and password do not match.'
    : error.message;
}
