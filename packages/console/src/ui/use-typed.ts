import { useEffect, useRef, useState } from 'react';
import { isSame } from '../save/same.ts';

/** What a person types: shown at once, and told once nothing was typed for a moment. `told` is what the address has. */
export function useTyped<Value>(
  told: Value,
  tell: (typed: Value) => void,
  pauseMs: number,
): [typed: Value, setTyped: (typed: Value) => void] {
  const [typed, setTyped] = useState(told);
  const before = useRef(told);
  // The address changed by a link or the back button.
  if (!isSame(before.current, told) && isSame(typed, before.current)) setTyped(told);
  before.current = told;
  useEffect(() => {
    if (isSame(typed, told)) return;
    const timer = setTimeout(() => tell(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, told, tell, pauseMs]);
  return [typed, setTyped];
}
