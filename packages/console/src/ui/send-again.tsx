import { type ReactNode, useEffect, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { Button } from './button.tsx';

/** The seconds until a request may be sent again after 429; 0 when it may. */
function useSecondsLeft(error: Error | null): number {
  const retryAt = error instanceof Problem ? error.retryAt : null;
  const [now, setNow] = useState(Date.now);
  const left = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
  useEffect(() => {
    if (retryAt === null) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= retryAt) clearInterval(timer);
    }, 250);
    setNow(Date.now());
    return () => clearInterval(timer);
  }, [retryAt]);
  return left;
}

interface Props {
  error: Error | null;
  onClick: () => void;
  look?: 'plain' | 'quiet';
  children: ReactNode;
}

/** Sends again what failed. After 429 it counts down first. */
export function SendAgain({ error, onClick, look = 'plain', children }: Props) {
  const left = useSecondsLeft(error);
  return (
    <Button look={look} offBecause={tooMany(left)} onClick={onClick}>
      {children}
      {left > 0 && ` (${minutes(left)})`}
    </Button>
  );
}

interface SubmitProps {
  mutation: { error: Error | null; isPending: boolean };
  look?: 'primary' | 'plain' | 'danger';
  offBecause?: string | null;
  /** Without it the button submits its form. */
  onClick?: () => void;
  children: ReactNode;
}

/** The button that sends a write. After 429 it counts down first. */
export function SubmitButton({
  mutation: { error, isPending },
  look = 'primary',
  offBecause = null,
  onClick,
  children,
}: SubmitProps) {
  const left = useSecondsLeft(error);
  return (
    <Button
      look={look}
      type={onClick === undefined ? 'submit' : 'button'}
      isBusy={isPending}
      offBecause={offBecause ?? tooMany(left)}
      onClick={onClick}
    >
      {children}
      {left > 0 && ` (${minutes(left)})`}
    </Button>
  );
}

/** As in 9:55. */
function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function tooMany(secondsLeft: number): string | null {
  return secondsLeft > 0 ? 'There were too many requests.' : null;
}
