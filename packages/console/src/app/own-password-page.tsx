import { useNavigate } from '@tanstack/react-router';
import { PageHead } from '../ui/page-head.tsx';
import { Section } from '../ui/section.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { OwnPasswordForm } from './own-password-form.tsx';

/** Changes one's own password. The other sessions of the user end. */
export function OwnPasswordPage() {
  const navigate = useNavigate();
  const onDone = () => {
    sayDone('Your password is changed.');
    void navigate({ to: '/' });
  };
  return (
    <>
      <PageHead title="Your password" />
      <Section title="Change it" hint="Everywhere else you have to log in again.">
        <OwnPasswordForm onDone={onDone} />
      </Section>
    </>
  );
}
