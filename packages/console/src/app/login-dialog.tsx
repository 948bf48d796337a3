import { useRef } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { LoginForm } from './login.tsx';

/** Asks for a login over the page when the session has ended. What was typed in the page stays. */
export function LoginDialog({ username }: { username: string }) {
  const password = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="Your session has ended" isOpen initialFocus={password}>
      <p>Log in to go on. What you typed is still here.</p>
      <LoginForm username={username} passwordRef={password} />
    </Dialog>
  );
}
