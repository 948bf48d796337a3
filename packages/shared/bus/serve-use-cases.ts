import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import type { Answer, Bus, ServedContext } from './bus.ts';

/** Serves contracts by use cases, each of which gets the resources of the service before input and context. */
export function serveUseCases<Resources extends { bus: Bus }>(resources: Resources) {
  const { bus } = resources;
  return {
    serve<C extends RequestContract>(
      contract: C,
      useCase: (resources: Resources, input: z.output<C['input']>, context: ServedContext) => Answer<C>,
    ): void {
      bus.serve(contract, (input, context) => useCase(resources, input, context));
    },
    serveMany<C extends RequestContract>(
      contract: C,
      useCase: (
        resources: Resources,
        input: z.output<C['input']>,
        context: ServedContext,
      ) => AsyncIterable<z.input<C['output']>>,
    ): void {
      bus.serveMany(contract, (input, context) => useCase(resources, input, context));
    },
  };
}
