/** Whether a count is valid. A cleared field holds null, whatever its type says. */
export const isNodeCount = (count: number | null): boolean => Number.isInteger(count) && Number(count) >= 0
