import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { meQuery } from '../api/queries.ts';
import { DialogActions } from '../ui/dialog-actions.tsx';
import { TextField } from '../ui/field.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import styles from './login.module.css';

const noPasswords = { oldPassword: '', password: '', confirmPassword: '' };

/** Changes the password of the user who is logged in. */
export function OwnPasswordForm({ onDone }: { onDone: () => void }) {
  const [passwords, setPasswords] = useState(noPasswords);
  const username = useQueryClient().getQueryData(meQuery.queryKey)?.user.username;
  const change = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/user/change-password', { body: passwords })),
    onSuccess: onDone,
  });

  const [isSent, setIsSent] = useState(false);
  const areSame = passwords.password === passwords.confirmPassword;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSent(true);
    if (areSame) change.mutate();
  };
  const field = (
    name: keyof typeof noPasswords,
    label: string,
    autoComplete: string,
    { hint, error }: { hint?: string; error?: string | undefined } = {},
  ) => (
    <TextField
      {...{ label, name, autoComplete, error, ...(hint !== undefined && { hint }) }}
      type="password"
      required
      value={passwords[name]}
      onChange={(event) => setPasswords({ ...passwords, [name]: event.target.value })}
    />
  );

  return (
    <form className={styles.form} onSubmit={submit}>
      {/* Password managers store the new password under this name. */}
      <input hidden readOnly name="username" autoComplete="username" value={username ?? ''} />
      {field('oldPassword', 'Present password', 'current-password')}
      {field('password', 'New password', 'new-password', {
        hint: 'At least ten characters with upper and lower case, a number and a special character; or twenty of any kind.',
      })}
      {field('confirmPassword', 'New password again', 'new-password', {
        error: isSent && !areSame ? 'The two passwords are not the same.' : undefined,
      })}
      {change.error !== null && (
        <ul className={styles.error} role="alert">
          {refusals(change.error).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <DialogActions>
        <SubmitButton mutation={change}>Change password</SubmitButton>
      </DialogActions>
    </form>
  );
}

function refusals(error: Error): string[] {
  const rules = error instanceof Problem ? error.details.flatMap(({ validationErrors }) => validationErrors ?? []) : [];
  return rules.length > 0 ? rules : [error.message];
}
