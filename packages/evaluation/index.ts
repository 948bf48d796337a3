export * from './pure.ts';
export { BudgetExceeded, cpuTimeMs, TimeBudget } from './time-budget.ts';
