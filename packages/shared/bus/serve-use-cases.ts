import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import type { Answer, Bus, ServedContext } from './bus.ts';

/** Serves contracts with use cases. Each use case gets the resources of the service, the input and the context. */
export function serveUseCases<Resources extends { bus: Bus }>(resources: Resources) {
  const { bus } = resources;
  return {
    serve<C extends RequestContract>(
      contract: C,
      useCase: (resources: Resources, input: z.output<C['input']>, context: ServedContext) => Answer<C>,
    ): void {
      bus.serve(contract, (input, context) => useCase(resources, input, context));
    },
  };
}
