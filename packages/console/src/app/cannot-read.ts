import { type AdminPath, adminPlaces } from './places.ts';
import { type Missing, useMissing } from './session.ts';

/** Tells which permission the user lacks to read a page of the administration. */
export function useCannotRead(): (to: AdminPath) => Missing {
  const missing = useMissing();
  return (to) => {
    const reasons =
      adminPlaces.find((place) => place.to === to)?.readers.map((permission) => missing(permission)) ?? [];
    return reasons.includes(null) ? null : (reasons.at(-1) ?? null);
  };
}
